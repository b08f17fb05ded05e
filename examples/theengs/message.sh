#!/bin/sh
# Prints the first message about a device that TheengsGateway publishes within ten seconds: sh message.sh [OPTION...]
port=18830
folder=$(mktemp -d)
trap 'kill $gateway $broker; rm -r "$folder"' EXIT
/usr/sbin/mosquitto -p $port 2>/dev/null &
broker=$!
sleep 0.5
TheengsGateway -c "$folder/theengs.conf" -H localhost -P $port -D 0 -ll ERROR "$@" &
gateway=$!
mosquitto_sub -p $port -t 'home/+/BTtoMQTT/#' -C 1 -W 10 2>/dev/null || echo 'no message'
