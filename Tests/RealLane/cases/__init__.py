"""The cases of the real lane; each file registers its own, in the order of this list."""

from . import the_rig, profiles, values, centrals, pairing, ending, recovery, refusals, doctor  # noqa: F401, I001
