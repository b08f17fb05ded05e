"""Emulated iPhones: labs with phones on a virtual radio, a pytest plugin, and apps in Python."""

from .app import App
from .attributes import ATTError, Central, Characteristic, Service
from .events import Event
from .lab import Lab, LabError
from .phone import Advertisement, OnAir, Phone, PhoneError, Subscriber
from .program import NoProgram, find_program, shipped_profiles

__all__ = [
    'ATTError',
    'Advertisement',
    'App',
    'Central',
    'Characteristic',
    'Event',
    'Lab',
    'LabError',
    'NoProgram',
    'OnAir',
    'Phone',
    'PhoneError',
    'Service',
    'Subscriber',
    'find_program',
    'shipped_profiles',
]
