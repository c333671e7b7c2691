"""What a file may hold, for those who write it and those who read it: nothing is written that cannot be read back."""

from atlantis_envs.base.files import MAX_FILE_BYTES

MAX_MANIFEST_BYTES = MAX_FILE_BYTES  # JSON beside the arrays
MAX_ARRAY_BYTES = 1 << 30  # of a checkpoint
MAX_WEIGHT_BYTES = 256 * 1024 * 1024  # of a policy
MAX_LAYERS = 16  # hidden ones
MAX_WIDTH = 1 << 16  # of a hidden layer
MAX_ENTRIES = 1 << 16  # opponents in the pool of a checkpoint
TENSOR_BYTES = 256  # what a tensor takes beside its numbers: name, type, shape, place
