"""Emulated iPhones for tests: labs with phones on a virtual radio, and a pytest plugin."""

from .events import Event
from .lab import Lab, LabError
from .phone import Advertisement, OnAir, Phone, PhoneError, Subscriber
from .program import NoProgram, find_program, shipped_profiles

__all__ = [
    'Advertisement',
    'Event',
    'Lab',
    'LabError',
    'NoProgram',
    'OnAir',
    'Phone',
    'PhoneError',
    'Subscriber',
    'find_program',
    'shipped_profiles',
]
