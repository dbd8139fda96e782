# The library as WebAssembly: make -f web/engine.mk BUILD=build. Two modules: one thread, and threads for pages that are cross-origin isolated.
# Left out: the direct solver (CHOLMOD) and the writers of files (zlib, libpng). Contraction is off as in the native build: the same bits.
BUILD ?= build
comma := ,
OUT := $(abspath $(BUILD)/web-parts)
export NODE_PATH ?= /usr/share/nodejs
VERSION := $(shell grep -o 'sinew VERSION [0-9.]*' CMakeLists.txt | cut -d' ' -f3)

KERNELS := $(wildcard src/*/kernel/*.c src/*/*/kernel/*.c)
SOURCES := $(filter-out $(KERNELS),$(wildcard $(foreach f,base mesh embed fem cloth linear time contact world scene,src/$(f)/*.c src/$(f)/*/*.c))) src/output/names.c \
           $(wildcard web/*.c)
JANSSON := $(addprefix $(OUT)/jansson/src/,dump.c error.c hashtable.c hashtable_seed.c load.c memory.c pack_unpack.c strbuffer.c strconv.c utf.c value.c \
           version.c)

# Speed where the time of a step goes: kernels and solvers. Size in all other files, and in the kernels that few scenes use.
SELDOM := $(foreach f,law_ciarlet law_corotated_updated law_hybrid_strain law_ogden law_orthotropic law_orthotropic_green law_reduced_polynomial \
          rotation_csvd rotation_dapd rotation_edge rotation_isvd rotation_pd_qr rotation_project rotation_qr \
          rotation_reflect patch_kernel warping_kernel,src/fem/kernel/$(f).c)
FAST := $(filter-out $(SELDOM),$(KERNELS)) src/linear/%
speed = $(if $(filter $(FAST),$(1)),-O3,-Os)
FLAGS := -DNDEBUG -msimd128 -ffp-contract=off -fno-math-errno -std=gnu17 -Wall -Wno-unused-parameter -Iinclude -Isrc -I$(OUT)/jansson/src \
         -DSN_VERSION='"$(VERSION)"' -D_GNU_SOURCE -DSN_ISA_SUFFIX=baseline -DSN_WIDTH=2
JANSSON_FLAGS := -Os -w -I$(OUT)/jansson/src -DHAVE_STDINT_H -DHAVE_STRTOLL
LINK := -Os -msimd128 --no-entry -sMODULARIZE=1 -sEXPORT_ES6=1 -sUSE_ES6_IMPORT_META=1 -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864 -sMAXIMUM_MEMORY=2147483648 \
        -sTOTAL_STACK=4194304 -sMALLOC=dlmalloc -sEXPORTED_RUNTIME_METHODS=UTF8ToString,HEAPU8 -sEXPORTED_FUNCTIONS=_malloc,_free \
        -sASSERTIONS=0 -Wno-pthreads-mem-growth

all: $(OUT)/plain/sinew.mjs $(OUT)/threads/sinew-threads.mjs

# $(1): folder, $(2): module, $(3): flags of compiler and linker, $(4): of the linker alone
define module
$(1)_objects := $$(patsubst %.c,$(OUT)/$(1)/%.o,$(SOURCES) $(KERNELS)) $$(patsubst $(OUT)/jansson/src/%.c,$(OUT)/$(1)/jansson/%.o,$(JANSSON))
$(OUT)/$(1)/%.o: %.c | $(OUT)/jansson/src/jansson.h
	@mkdir -p $$(@D)
	@echo $$@
	@emcc $$(call speed,$$<) $(FLAGS) $(3) -MMD -MP -c $$< -o $$@
$(OUT)/$(1)/jansson/%.o: $(OUT)/jansson/src/%.c | $(OUT)/jansson/src/jansson.h
	@mkdir -p $$(@D)
	@echo $$@
	@emcc $(JANSSON_FLAGS) $(3) -c $$< -o $$@
$(OUT)/$(1)/$(2).mjs: $$($(1)_objects)
	@echo $$@
	@emcc $(LINK) $(3) $(4) $$^ -o $$@
endef
$(eval $(call module,plain,sinew,,-sENVIRONMENT=worker$(comma)web$(comma)node))
$(eval $(call module,threads,sinew-threads,-pthread,-sPTHREAD_POOL_SIZE=3))

-include $(plain_objects:.o=.d) $(threads_objects:.o=.d)

$(JANSSON): $(OUT)/jansson/src/jansson.h
$(OUT)/jansson/src/jansson.h:
	web/jansson.sh $(OUT)

.PHONY: all
