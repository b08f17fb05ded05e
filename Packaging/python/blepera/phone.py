"""A phone in a lab: the actions of its user, its state and its events."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from collections.abc import Mapping
from typing import Any, Literal

from .events import Event, Events


@dataclasses.dataclass(frozen=True)
class Advertisement:
    """The packets of one advertisement, up to 31 bytes each."""

    advertising_data: bytes
    scan_response: bytes


@dataclasses.dataclass(frozen=True)
class OnAir:
    """The present advertisements of the phone."""

    advertisements: tuple[Advertisement, ...]
    """The advertisements of apps."""
    own: tuple[Advertisement, ...]
    """The advertisements that the phone sends without an app."""
    overflow_uuids: tuple[str, ...]
    """The services that are one bit each of the overflow area."""
    interval: float | None
    """The interval in milliseconds; None if nothing is advertised."""
    reasons: tuple[str, ...]
    """The parts that are not advertised as an app requests, each with the rule."""


@dataclasses.dataclass(frozen=True)
class Subscriber:
    """A central that is subscribed to a characteristic."""

    central: str
    app: str
    service: str
    characteristic: str


@dataclasses.dataclass(frozen=True)
class Bond:
    """A device with which the phone shares keys, or that still has keys of the phone."""

    address: str
    name: str | None
    role: str | None
    """`central` or `peripheral`."""
    problem: str | None
    """`peripheralHasNoKeys`, `phoneHasNoKeys` or `peripheralHasNoIdentity`, once the phone has noticed that."""
    advice: str | None
    """The problem and its cure in one line."""


class PhoneError(Exception):
    """The phone refuses an action; the message says why."""


class Phone:
    """Methods return when the phone has accepted the action; `wait_for` waits for its effects.

    `app` is the bundle identifier or the name of an app; None means all apps of the phone.
    """

    def __init__(self, name: str, program: str, environment: Mapping[str, str], events: Events) -> None:
        self.name = name
        self._program = program
        self._environment = environment
        self._events = events

    def __repr__(self) -> str:
        return f'<phone {self.name}>'

    def foreground(self, app: str | None = None) -> None:
        """Moves apps to the foreground."""
        self._command('foreground', app=app)

    def background(self, app: str | None = None) -> None:
        """Moves apps to the background, where they run for some seconds more."""
        self._command('background', app=app)

    def suspend(self, app: str | None = None) -> None:
        """Suspends apps at once."""
        self._command('suspend', app=app)

    def lock(self) -> None:
        """Switches the screen off: every app is in the background."""
        self._command('lock')

    def unlock(self) -> None:
        """Switches the screen on."""
        self._command('unlock')

    def terminate(self, app: str | None = None) -> None:
        """Kills apps as the system does when memory is short; events relaunch those that opted in to restoration."""
        self._command('terminate', app=app)

    def quit(self, app: str | None = None) -> None:
        """Force-quits apps as the user does by swiping; no event relaunches them, unless they have AccessorySetupKit."""
        self._command('quit', app=app)

    def launch(self, app: str | None = None) -> None:
        """Launches apps that were quit or terminated, as the user does by tapping their icons."""
        self._command('launch', app=app)

    def reboot(self) -> None:
        """Reboots the phone: all apps and connections end."""
        self._command('reboot')

    def bluetooth(self, state: Literal['on', 'off', 'reset'], method: str | None = None) -> None:
        """Switches Bluetooth; `method` is one of the ways to do so that `blepera help bluetooth` lists."""
        self._command('bluetooth', state, *(['--by', method] if method else []))

    def forget(self, device: str | None = None) -> None:
        """Forgets a device by its address or name, as the user does in Settings; None forgets all devices."""
        self._command('bonds', 'forget', device if device is not None else '--all')

    def pair(self, response: str, device: str | None = None) -> None:
        """Answers a pairing that waits for the user: yes, no, or the six digits of a passkey."""
        self._command('pair', response, *(['--device', device] if device else []))

    def defect(self, name: str, on: bool = True) -> None:
        """Gives the phone a defect that `blepera defects` lists, or takes it away."""
        self._command('defect', name, 'on' if on else 'off')

    def notify(self, characteristic: str, value: bytes, app: str | None = None) -> None:
        """Sends an update to the subscribers of a characteristic, as if the app had called `updateValue`."""
        self._command('notify', characteristic, value.hex(), *(['--app', app] if app else []))

    def status(self) -> dict[str, Any]:
        """The output of `blepera status --json`."""
        status: dict[str, Any] = json.loads(self._command('status', '--json'))
        return status

    @property
    def states(self) -> dict[str, str]:
        """The state of each app by bundle identifier: foreground, background, suspended or notRunning."""
        return {app['identifier']: app['state'] for app in self.status()['apps']}

    @property
    def address(self) -> str:
        """The address under which the phone advertises now."""
        return str(self.status()['address']['current'])

    @property
    def subscribers(self) -> list[Subscriber]:
        """The subscribed centrals, one entry for each characteristic."""
        names = [field.name for field in dataclasses.fields(Subscriber)]
        return [Subscriber(**{name: one[name] for name in names}) for one in self.status()['subscribers']]

    @property
    def bonds(self) -> list[Bond]:
        """The centrals and peripherals that share keys with the phone."""
        names = [field.name for field in dataclasses.fields(Bond)]
        return [Bond(**{name: one.get(name) for name in names}) for one in self.status().get('bonds', [])]

    @property
    def on_air(self) -> OnAir:
        """The present advertisements of the phone."""
        air = self.status()['air']
        apps, own = (
            tuple(
                Advertisement(bytes.fromhex(one['advertisingData']), bytes.fromhex(one['scanResponse']))
                for one in air['advertisements'] if one.get('isOwn', False) is is_own
            ) for is_own in (False, True)
        )
        return OnAir(
            advertisements=apps,
            own=own,
            overflow_uuids=tuple(air['overflowServiceUUIDs']),
            interval=air['effectiveInterval']['minimum'] if 'effectiveInterval' in air else None,
            reasons=tuple(air['reasons']),
        )

    @property
    def events(self) -> list[Event]:
        """The events of this phone since the lab began, as `blepera lab --json` prints them."""
        return self._events.so_far()

    def wait_for(self, event: str, timeout: float = 10, since: int | None = None, **fields: object) -> Event:
        """The first event with this name and these fields after the one that the last call returned.

        The first call begins at the phone's start. `since` is another place in `events`: 0 for the start,
        `len(phone.events)` for now. Raises TimeoutError after `timeout` seconds.
        """
        return self._events.wait_for(event, timeout, since, fields)

    def _command(self, *words: str, app: str | None = None) -> str:
        arguments = [self._program, *words, *([app] if app else []), '--system', self.name]
        done = subprocess.run(arguments, env={**os.environ, **self._environment}, capture_output=True, text=True)
        if done.returncode:
            raise PhoneError(done.stderr.strip().removeprefix('error: ') or f'blepera {words[0]} has failed')
        return done.stdout
