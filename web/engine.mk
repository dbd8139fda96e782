# The library as WebAssembly: make -f web/engine.mk BUILD=build. One module, compiled for threads;
# web/memory.js lets it run with one thread where a page may not have threads.
# Left out: the direct solver (CHOLMOD) and the writers of files (zlib, libpng). Contraction is off as in the native build: the same bits.
BUILD ?= build
OUT := $(abspath $(BUILD)/web-parts)
export NODE_PATH ?= /usr/share/nodejs
VERSION := $(shell grep -o 'sinew VERSION [0-9.]*' CMakeLists.txt | cut -d' ' -f3)

KERNELS := $(wildcard src/*/kernel/*.c src/*/*/kernel/*.c)
SOURCES := $(filter-out $(KERNELS),$(wildcard $(foreach f,base mesh embed fem cloth linear time contact world haptic scene,src/$(f)/*.c src/$(f)/*/*.c))) src/output/names.c \
           $(wildcard web/*.c)
JANSSON := $(addprefix $(OUT)/jansson/src/,dump.c error.c hashtable.c hashtable_seed.c load.c memory.c pack_unpack.c strbuffer.c strconv.c utf.c value.c \
           version.c)

# Speed where the time of a step goes: kernels and solvers. Size in all other files, and in the kernels that few scenes use.
SELDOM := $(foreach f,law_ciarlet law_corotated_updated law_hybrid_strain law_ogden law_orthotropic law_orthotropic_green law_reduced_polynomial \
          rotation_csvd rotation_dapd rotation_edge rotation_isvd rotation_pd_qr rotation_project rotation_qr \
          rotation_reflect patch_kernel warping_kernel,src/fem/kernel/$(f).c)
FAST := $(filter-out $(SELDOM),$(KERNELS)) src/linear/%
speed = $(if $(filter $(FAST),$(1)),-O3,-Os)
# The compiler of emscripten 3.1.6 (LLVM 14) joins statements to vectors wrongly: incomplete factors came out wrong. So it may not join them.
FLAGS := -DNDEBUG -pthread -msimd128 -fno-slp-vectorize -ffp-contract=off -fno-math-errno -std=gnu17 -Wall -Wno-unused-parameter -Iinclude -Isrc -I$(OUT)/jansson/src \
         -DSN_VERSION='"$(VERSION)"' -D_GNU_SOURCE -DSN_ISA_SUFFIX=baseline -DSN_WIDTH=2
JANSSON_FLAGS := -Os -pthread -w -I$(OUT)/jansson/src -DHAVE_STDINT_H -DHAVE_STRTOLL
# web/memory.js states the first and the largest size of the memory too, in pages.
LINK := -Os -pthread -msimd128 --no-entry -sMODULARIZE=1 -sEXPORT_ES6=1 -sUSE_ES6_IMPORT_META=1 -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864 -sMAXIMUM_MEMORY=2147483648 \
        -sTOTAL_STACK=4194304 -sMALLOC=dlmalloc -sEXPORTED_RUNTIME_METHODS=UTF8ToString,HEAPU8 -sEXPORTED_FUNCTIONS=_malloc,_free \
        -sASSERTIONS=0 -sPTHREAD_POOL_SIZE=Module.threads-1 --pre-js web/memory.js -Wno-pthreads-mem-growth

all: $(OUT)/sinew.mjs

OBJECTS := $(patsubst %.c,$(OUT)/engine/%.o,$(SOURCES) $(KERNELS)) $(patsubst $(OUT)/jansson/src/%.c,$(OUT)/engine/jansson/%.o,$(JANSSON))
$(OUT)/engine/%.o: %.c | $(OUT)/jansson/src/jansson.h
	@mkdir -p $(@D)
	@echo $@
	@emcc $(call speed,$<) $(FLAGS) -MMD -MP -c $< -o $@
$(OUT)/engine/jansson/%.o: $(OUT)/jansson/src/%.c | $(OUT)/jansson/src/jansson.h
	@mkdir -p $(@D)
	@echo $@
	@emcc $(JANSSON_FLAGS) -c $< -o $@
$(OUT)/sinew.mjs: $(OBJECTS) web/memory.js
	@echo $@
	@emcc $(LINK) $(OBJECTS) -o $@

-include $(OBJECTS:.o=.d)

$(JANSSON): $(OUT)/jansson/src/jansson.h
$(OUT)/jansson/src/jansson.h:
	web/jansson.sh $(OUT)

.PHONY: all
