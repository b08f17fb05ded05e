"""The cases of the real lane; each file registers its own, in the order of this list."""

from . import the_rig, profiles, values, centrals, pairing, ending, recovery, refusals, doctor  # noqa: F401, I001
from . import rules_air, rules_intervals, rules_suspended, rules_wake, rules_phone, rules_control  # noqa: F401, I001
from . import app_killed, phone_killed, relaunch, any_language, scanning, cloning  # noqa: F401, I001
