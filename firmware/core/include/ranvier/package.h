/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PACKAGE_H_
#define RANVIER_PACKAGE_H_

/**
 * @file
 * @brief The package (`.rnv`): its records as they lie in flash, and the verified view of one.
 *
 * Every byte is specified in SPEC.md. All fields are little-endian and naturally aligned; the
 * records are read in place, so the package's address must be a multiple of
 * @ref RNV_PACKAGE_ALIGN and the machine little-endian.
 */

#include <stdint.h>

#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes and limits of the format; SPEC.md says what each is for. */
#define RNV_PACKAGE_MAGIC    0x4D564E52 /**< The bytes "RNVM". */
#define RNV_PACKAGE_FORMAT   1          /**< The one format that is read. */
#define RNV_PACKAGE_ABI      1          /**< The one meaning of parameters and streams. */
#define RNV_PACKAGE_ALIGN    16         /**< Alignment of a package's address, in bytes. */
#define RNV_HEADER_BYTES     128        /**< Size of struct rnv_header. */
#define RNV_TRAILER_BYTES    112        /**< Size of struct rnv_trailer. */
#define RNV_MAX_RANK         5          /**< Most dimensions of a tensor. */
#define RNV_MAX_LIVE         32         /**< Most tensors of the arena that live in one step. */
#define RNV_OPSET_BYTES      32         /**< Size of a set of op codes. */
#define RNV_NAME_BYTES       32         /**< Room for a model's name, with its final zero. */
#define RNV_ENTRY_NAME_BYTES 16         /**< Room for an entry point's name, likewise. */
#define RNV_MAX_ENTRIES      8          /**< Most entry points of a package. */
#define RNV_NO_TENSOR        0xFFFF     /**< No such tensor. */

/** Instruction-set packing of the weight streams (`rnv_header.isa`). */
enum rnv_isa {
	RNV_ISA_GENERIC = 0, /**< Portable streams; every reader has them. */
	RNV_ISA_DSP = 1,     /**< Armv7E-M / Armv8-M DSP extension. */
	RNV_ISA_MVE = 2,     /**< Armv8.1-M vector extension; its kernels read portable streams. */
	RNV_ISA_BASE = 3,    /**< Armv7-M / Armv8-M Mainline without extensions. */
};

/** How the model's inputs and outputs are stored (bits 0..1 of `rnv_header.flags`). */
enum rnv_io_mode {
	RNV_IO_KEPT = 0,     /**< Inputs are the caller's and only read. */
	RNV_IO_DONATED = 1,  /**< Inputs are the caller's and may be overwritten once dead. */
	RNV_IO_RESIDENT = 2, /**< Inputs and outputs lie in the arena. */
};

#define RNV_FLAG_IO_MASK 0x3 /**< `rnv_header.flags`: the bits of enum rnv_io_mode. */

/** Element types, little-endian. */
enum rnv_type {
	RNV_TYPE_INT8 = 1,    /**< 1 byte */
	RNV_TYPE_UINT8 = 2,   /**< 1 byte */
	RNV_TYPE_INT16 = 3,   /**< 2 bytes */
	RNV_TYPE_INT32 = 4,   /**< 4 bytes */
	RNV_TYPE_INT64 = 5,   /**< 8 bytes */
	RNV_TYPE_FLOAT32 = 6, /**< 4 bytes, IEEE 754 binary32 */
	RNV_TYPE_BOOL = 7,    /**< 1 byte, 0 or 1 */
	RNV_TYPE_UINT32 = 8,  /**< 4 bytes */
	RNV_TYPE_UINT64 = 9,  /**< 8 bytes */
};

/** Where a tensor's bytes are. */
enum rnv_storage {
	RNV_STORAGE_ARENA = 1,    /**< `offset` bytes into the arena. */
	RNV_STORAGE_EXTERNAL = 2, /**< The caller's buffer number `offset`. */
	RNV_STORAGE_CONST = 3,    /**< `offset` bytes into the weights section. */
	RNV_STORAGE_STATE = 4,    /**< `offset` bytes into the persistent state. */
};

/** Order of a tensor's elements in memory. */
enum rnv_layout {
	RNV_LAYOUT_DENSE = 0,             /**< Row-major in the order of the dimensions (NHWC). */
	RNV_LAYOUT_PLANES = 1,            /**< NCHW: one H x W plane per channel. */
	RNV_LAYOUT_PLANES_TRANSPOSED = 2, /**< NCWH: one W x H plane per channel. */
	RNV_LAYOUT_ROWS = 3,              /**< NHCW: all channels of a row together. */
};

/** Permission to overlap another live tensor. */
enum rnv_alias {
	RNV_ALIAS_NONE = 0,
	RNV_ALIAS_SAME = 1, /**< Starts where `alias_tensor` starts and replaces it in place. */
	RNV_ALIAS_LEAD = 2, /**< Starts `alias_lead` bytes before `alias_tensor`. */
};

#define RNV_TENSOR_INPUT  0x1 /**< `rnv_tensor_rec.flags`: input of an entry point. */
#define RNV_TENSOR_OUTPUT 0x2 /**< `rnv_tensor_rec.flags`: output of an entry point. */

/** Most bytes that an image in a layout other than dense has after its last element. */
#define RNV_TENSOR_SLACK 16

/** `rnv_step_rec.flags`: the step is only the rows `row0 .. row0 + rows - 1` of its op. */
#define RNV_STEP_SLICE 0x1
/**
 * `rnv_step_rec.flags`: an accelerator may execute the step. Its op's kernel is the fallback and
 * may begin the step again after an accelerator has written some of its output: no output replaces
 * an input.
 */
#define RNV_STEP_NPU   0x2

/** `rnv_section_rec.flags`: a reader that does not know the section's kind may skip it. */
#define RNV_SECTION_OPTIONAL 0x1

/** Section kinds; sections lie in ascending order of kind. */
enum rnv_section {
	RNV_SECTION_TENSORS = 1,  /**< array of rnv_tensor_rec */
	RNV_SECTION_OPERANDS = 2, /**< array of uint16 tensor numbers */
	RNV_SECTION_OPS = 3,      /**< array of rnv_op_rec */
	RNV_SECTION_STEPS = 4,    /**< array of rnv_step_rec */
	RNV_SECTION_ENTRIES = 5,  /**< array of rnv_entry_rec */
	RNV_SECTION_PARAMS = 6,   /**< array of int32, the ops' parameters */
	RNV_SECTION_WEIGHTS = 7,  /**< bytes: the ops' weight streams and constant tensors */
	RNV_SECTION_QUANT = 8,    /**< per-channel scales and zero points of tensors */
	RNV_SECTION_LABELS = 9,   /**< UTF-8 strings, each ended by a zero byte */
	RNV_SECTION_GOLDEN = 10,  /**< self-test */
	RNV_SECTION_META = 11,    /**< UTF-8 JSON for hosts */
	RNV_SECTION_NAMES = 12,   /**< debug names of tensors and ops; may be stripped */
};

/** Signature kinds of the trailer. */
enum rnv_signature {
	RNV_SIGNATURE_NONE = 0,
	RNV_SIGNATURE_ECDSA_P256 = 1,
};

/** The first @ref RNV_HEADER_BYTES bytes of a package. */
struct rnv_header {
	uint32_t magic;            /**< @ref RNV_PACKAGE_MAGIC */
	uint16_t format;           /**< @ref RNV_PACKAGE_FORMAT */
	uint16_t header_bytes;     /**< @ref RNV_HEADER_BYTES */
	uint32_t total_bytes;      /**< whole package with its trailer; a multiple of 16 */
	uint16_t abi;              /**< RNV_PACKAGE_ABI: meaning of op parameters and streams */
	uint16_t isa;              /**< enum rnv_isa */
	uint32_t flags;            /**< enum rnv_io_mode; all other bits zero */
	uint32_t security_version; /**< anti-rollback counter */
	uint32_t arena_bytes;      /**< activation arena */
	uint32_t state_bytes;      /**< persistent state */
	uint32_t io_bytes;         /**< sum of the external tensors */
	uint32_t state_layout;     /**< hash of the state's layout; 0 without state */
	uint16_t version[3];       /**< semantic version of the model: major, minor, patch */
	uint16_t section_count;    /**< records in the section table that follows the header */
	uint8_t opset[32];         /**< bit c % 8 of byte c / 8: op code c is used */
	uint8_t name[32];          /**< model name [A-Za-z0-9_.-]{1,31}, zero-padded */
	uint16_t external_count;   /**< number of external tensors (slots) */
	uint16_t max_live;         /**< most arena tensors live at one step; at most RNV_MAX_LIVE */
	uint32_t reserved[3];      /**< zero */
};

/** One row of the section table at offset @ref RNV_HEADER_BYTES. */
struct rnv_section_rec {
	uint16_t kind;   /**< enum rnv_section */
	uint16_t flags;  /**< RNV_SECTION_OPTIONAL */
	uint32_t offset; /**< from the package's start; a multiple of 16 */
	uint32_t bytes;  /**< without padding */
	uint32_t count;  /**< records, where the section is an array; else 0 */
};

/** A tensor. Sorted by `first_step`. */
struct rnv_tensor_rec {
	uint8_t type;          /**< enum rnv_type */
	uint8_t rank;          /**< 0..RNV_MAX_RANK */
	uint8_t storage;       /**< enum rnv_storage */
	uint8_t layout;        /**< enum rnv_layout */
	uint8_t alias;         /**< enum rnv_alias */
	uint8_t flags;         /**< RNV_TENSOR_INPUT, RNV_TENSOR_OUTPUT */
	uint16_t alias_tensor; /**< tensor number, or RNV_NO_TENSOR */
	uint32_t offset;       /**< by `storage`; a multiple of 16 except for a slot number */
	uint32_t bytes;        /**< bytes of storage */
	uint32_t alias_lead;   /**< bytes, RNV_ALIAS_LEAD only */
	uint16_t ring_rows;    /**< rows kept where storage is a ring; 0: the whole tensor */
	uint16_t quant_axis;   /**< dimension of the per-channel table */
	uint32_t scale_bits;   /**< IEEE 754 binary32 bits of the scale; 0: not quantised */
	int32_t zero_point;    /**< quantised value of real zero */
	uint32_t quant_table;  /**< offset in the quant section + 1; 0: per tensor */
	uint16_t first_step;   /**< step that writes it; 0 for inputs and constants */
	uint16_t last_step;    /**< last step that reads it */
	uint32_t dims[5];      /**< `rank` sizes, the others zero */
	uint32_t reserved;     /**< zero */
};

/** An op with ready-made parameters. */
struct rnv_op_rec {
	uint16_t code;           /**< op code, see ops.txt */
	uint8_t version;         /**< version of the op's parameters, 1 */
	uint8_t packing;         /**< enum rnv_isa of its weight stream */
	uint8_t input_count;     /**< operands read */
	uint8_t output_count;    /**< operands written */
	uint16_t operand_first;  /**< number of the first operand: inputs, then outputs */
	uint32_t params_offset;  /**< bytes into the params section; a multiple of 4 */
	uint16_t params_bytes;   /**< multiple of 4 */
	uint16_t flags;          /**< zero */
	uint32_t weights_offset; /**< bytes into the weights section; a multiple of 16 */
	uint32_t weights_bytes;  /**< 0: none */
	uint32_t scratch_offset; /**< bytes into the arena; a multiple of 16 */
	uint32_t scratch_bytes;  /**< 0: none */
};

/** A step of execution. */
struct rnv_step_rec {
	uint16_t op;        /**< op number */
	uint16_t flags;     /**< RNV_STEP_SLICE, RNV_STEP_NPU */
	uint32_t row0;      /**< first row of a slice; 0 otherwise */
	uint32_t rows;      /**< rows of a slice; 0 otherwise */
	uint32_t predicted; /**< predicted instructions; 0: unknown */
};

/** An entry point: a range of steps with inputs and outputs of its own. */
struct rnv_entry_rec {
	uint8_t name[16];      /**< zero-padded; the first entry is the default */
	uint16_t step_first;   /**< first step */
	uint16_t step_count;   /**< number of steps */
	uint16_t input_first;  /**< operand number of the first input */
	uint16_t input_count;  /**< inputs */
	uint16_t output_first; /**< operand number of the first output */
	uint16_t output_count; /**< outputs */
	uint32_t flags;        /**< zero */
};

/** The last @ref RNV_TRAILER_BYTES bytes of a package. */
struct rnv_trailer {
	uint8_t sha256[32];      /**< of everything before the trailer */
	uint32_t key_id;         /**< rnv_key.id of the key; 0: unsigned */
	uint32_t signature_kind; /**< enum rnv_signature */
	uint8_t signature[64];   /**< r, s big-endian over `sha256`; zero when unsigned */
	uint32_t reserved;       /**< zero */
	uint32_t crc32;          /**< IEEE 802.3 CRC of everything before this field */
};

/** What a diagnosis is about; rnv_what_name() gives the words. */
enum rnv_what {
	RNV_WHAT_NONE = 0,
	RNV_WHAT_ADDRESS = 1,     /**< address of the package in memory */
	RNV_WHAT_SIZE = 2,        /**< size of the package */
	RNV_WHAT_MAGIC = 3,       /**< magic number */
	RNV_WHAT_FORMAT = 4,      /**< format version */
	RNV_WHAT_ABI = 5,         /**< ABI version */
	RNV_WHAT_ISA = 6,         /**< instruction-set packing */
	RNV_WHAT_HEADER = 7,      /**< another header field; index: its offset */
	RNV_WHAT_CRC = 8,         /**< checksum */
	RNV_WHAT_SIGNATURE = 9,   /**< kind, key and signature of the trailer */
	RNV_WHAT_SECTION = 10,    /**< section table; index: row */
	RNV_WHAT_TENSOR = 11,     /**< tensor record; index: tensor */
	RNV_WHAT_OPERAND = 12,    /**< operand; index: operand */
	RNV_WHAT_OP = 13,         /**< op record; index: op */
	RNV_WHAT_OP_CODE = 14,    /**< op not in this build; value: code */
	RNV_WHAT_OP_PARAMS = 15,  /**< parameters of an op; index: op */
	RNV_WHAT_STEP = 16,       /**< step record; index: step */
	RNV_WHAT_ENTRY = 17,      /**< entry point; index: entry */
	RNV_WHAT_OVERLAP = 18,    /**< live tensors overlap; index, value: tensors */
	RNV_WHAT_SCRATCH = 19,    /**< scratch overlaps a live tensor; index: op, value: tensor */
	RNV_WHAT_LIFETIME = 20,   /**< tensor used outside its steps; index: tensor */
	RNV_WHAT_MAX_LIVE = 21,   /**< more live tensors than declared; index: step */
	RNV_WHAT_SLICE = 22,      /**< rows of a sliced step; index: step */
	RNV_WHAT_RING = 23,       /**< tensor read without all its rows; index: tensor */
	RNV_WHAT_LAYOUT = 24,     /**< layout; index: tensor */
	RNV_WHAT_ALIAS_LEAD = 25, /**< leading alias; index: tensor */
	RNV_WHAT_STATE = 26,      /**< persistent state; index: tensor */
	RNV_WHAT_ENTRIES = 27,    /**< several entry points; value: count */
	RNV_WHAT_CHANNEL_QUANT = 28, /**< per-channel quantisation of a tensor; index: tensor */
	RNV_WHAT_TYPE = 29,          /**< element type; index: tensor */
	RNV_WHAT_RESERVED = 30,      /**< reserved field is not zero; index: offset in package */
};

/** Why a package was refused. */
struct rnv_diag {
	uint32_t what;  /**< enum rnv_what */
	uint32_t index; /**< which record, or the offset of a field, by `what` */
	uint32_t value; /**< offending value */
};

/**
 * A verified package: pointers into it, nothing copied.
 *
 * The caller owns the struct and the package's memory, which must stay unchanged and mapped as long
 * as the view is used. Read-only after rnv_package_open(), so any number of threads and ISRs may
 * share it. All members are private; use the functions.
 */
struct rnv_package {
	const struct rnv_header *header;      /**< @private */
	const struct rnv_tensor_rec *tensors; /**< @private */
	const uint16_t *operands;             /**< @private */
	const struct rnv_op_rec *ops;         /**< @private */
	const struct rnv_step_rec *steps;     /**< @private */
	const struct rnv_entry_rec *entries;  /**< @private */
	const int32_t *params;                /**< @private */
	const uint8_t *weights;               /**< @private */
	const uint8_t *labels;                /**< @private */
	const uint8_t *golden;                /**< @private */
	uint32_t params_bytes;                /**< @private */
	uint32_t weights_bytes;               /**< @private */
	uint32_t golden_bytes;                /**< @private */
	uint16_t tensor_count;                /**< @private */
	uint16_t operand_count;               /**< @private */
	uint16_t op_count;                    /**< @private */
	uint16_t step_count;                  /**< @private */
	uint16_t entry_count;                 /**< @private */
	uint16_t label_count;                 /**< @private */
};

/** rnv_package_open() flag: do not compute the CRC (memory that is checked otherwise, fuzzing). */
#define RNV_OPEN_SKIP_CRC 0x1

/**
 * Verify a package and make a view of it. The one routine used by boot, updates and host tools.
 *
 * Checks every offset, count, shape product, enum and alias with overflow-safe arithmetic, that
 * every op of the package is linked and its parameters fit its tensors, that every tensor is
 * written before it is read, and that no two live buffers overlap but through an alias that the
 * op's kernel proves safe. Time O((steps + tensors) x max_live) and one pass of CRC; at most
 * 256 bytes of stack; no allocation. A signature's fields are checked, not the SHA-256 and not the
 * signature itself: rnv_store_verify_step() does that, through the crypto seam.
 *
 * Reads the package and writes only `pkg` and `diag`, so it may be called from any thread; from an
 * interrupt only where its time is acceptable (the CRC alone takes about 11 instructions a byte).
 *
 * @param pkg   view to fill; all zero after a failure, except RNV_EINVAL and RNV_EALIGN
 * @param data  package, aligned to @ref RNV_PACKAGE_ALIGN
 * @param bytes bytes readable at `data`; may exceed the package
 * @param flags 0 or RNV_OPEN_SKIP_CRC
 * @param diag  receives what was refused; may be NULL
 * @retval RNV_OK       opened
 * @retval RNV_EINVAL   `pkg` or `data` is NULL, or unknown flags
 * @retval RNV_EALIGN   `data` is not aligned
 * @retval RNV_EFORMAT  not a package, truncated, or inconsistent
 * @retval RNV_EBADMSG  wrong CRC
 * @retval RNV_ENOTSUP  well-formed, but uses a kind that this reader or build lacks
 */
int rnv_package_open(struct rnv_package *pkg, const void *data, uint32_t bytes, uint32_t flags,
		     struct rnv_diag *diag);

/**
 * English words for a diagnosis, for logs and hosts. May be called from any thread or interrupt.
 *
 * @param what `rnv_diag.what`
 * @return words in static storage; "unknown" for a number that this build does not know
 */
const char *rnv_what_name(uint32_t what);

/*
 * The functions below read an opened package and keep nothing: they may be called from any thread
 * or interrupt at the same time.
 */

/**
 * The package's header.
 *
 * @param pkg opened package
 * @return record in the package's memory
 */
const struct rnv_header *rnv_package_header(const struct rnv_package *pkg);

/**
 * A tensor's record.
 *
 * @param pkg    opened package
 * @param tensor tensor number
 * @return record in the package's memory, or NULL where there is no such tensor
 */
const struct rnv_tensor_rec *rnv_package_tensor(const struct rnv_package *pkg, uint16_t tensor);

/**
 * Tensor number of an input.
 *
 * @param pkg   opened package
 * @param entry entry point number, 0 is the default
 * @param index input, from 0
 * @return tensor number, or RNV_NO_TENSOR where there is no such entry point or input
 */
uint16_t rnv_package_input(const struct rnv_package *pkg, uint16_t entry, uint16_t index);

/**
 * Tensor number of an output.
 *
 * @param pkg   opened package
 * @param entry entry point number, 0 is the default
 * @param index output, from 0
 * @return tensor number, or RNV_NO_TENSOR where there is no such entry point or output
 */
uint16_t rnv_package_output(const struct rnv_package *pkg, uint16_t entry, uint16_t index);

/**
 * A label. Time proportional to the labels before it.
 *
 * @param pkg   opened package
 * @param index label, from 0
 * @return zero-terminated UTF-8 string in the package's memory, or NULL where there is none
 */
const char *rnv_package_label(const struct rnv_package *pkg, uint16_t index);

/**
 * Number of labels.
 *
 * @param pkg opened package
 * @return 0 where the package has none
 */
uint16_t rnv_package_label_count(const struct rnv_package *pkg);

/**
 * Set of op codes that this build can execute, as in `rnv_header.opset`.
 *
 * @param opset RNV_OPSET_BYTES bytes of the caller, filled
 */
void rnv_opset_get(uint8_t *opset);

/**
 * Name of an op.
 *
 * @param code op code
 * @return name as in ops.txt, in static storage, or NULL where this build lacks the op
 */
const char *rnv_op_name(uint16_t code);

/**
 * CRC-32 of IEEE 802.3 (reflected polynomial 0xEDB88320), as zlib's crc32().
 *
 * @param crc   0 to begin, or the result of the bytes before
 * @param data  `bytes` bytes
 * @param bytes length; 0 is allowed
 * @return the CRC of everything so far
 */
uint32_t rnv_crc32(uint32_t crc, const void *data, uint32_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_PACKAGE_H_ */
