"""Emulated iPhones: labs with phones on a virtual radio, a pytest plugin, apps in Python, and predictions."""

from .app import App
from .attributes import ATTError, Central, Characteristic, Service
from .central import CentralManager, Discovery, Scan
from .events import Event
from .lab import Lab, LabError
from .peripheral import CBError, Channel, Peripheral, RemoteCharacteristic, RemoteDescriptor, RemoteService
from .peripheral_manager import PeripheralManager, PublishedChannel
from .phone import Advertisement, Bond, OnAir, Phone, PhoneError, Subscriber
from .predict import PredictionError, predict
from .program import NoProgram, find_program, shipped_profiles
from .shards import Shard, SweepError
from .sweep import SweepResult, sweep

__all__ = [
    'ATTError',
    'Advertisement',
    'App',
    'Bond',
    'CBError',
    'Central',
    'CentralManager',
    'Channel',
    'Characteristic',
    'Discovery',
    'Event',
    'Lab',
    'LabError',
    'NoProgram',
    'OnAir',
    'Peripheral',
    'PeripheralManager',
    'Phone',
    'PhoneError',
    'PredictionError',
    'PublishedChannel',
    'RemoteCharacteristic',
    'RemoteDescriptor',
    'RemoteService',
    'Scan',
    'Service',
    'Shard',
    'Subscriber',
    'SweepError',
    'SweepResult',
    'find_program',
    'predict',
    'shipped_profiles',
    'sweep',
]
