#!/bin/sh
# Prints the first message about a device that TheengsGateway publishes: sh message.sh [OPTION...]
port=$((18830 + $$ % 1000))
folder=$(mktemp -d)
trap 'kill $gateway $broker; rm -r "$folder"' EXIT
/usr/sbin/mosquitto -p $port 2>/dev/null &
broker=$!
sleep 0.5
# Its scan ends without a word where it begins before its client of MQTT is there (1.8.0).
for attempt in 1 2 3; do
    TheengsGateway -c "$folder/theengs.conf" -H localhost -P $port -D 0 -ll ERROR "$@" &
    gateway=$!
    mosquitto_sub -p $port -t 'home/+/BTtoMQTT/#' -C 1 -W 10 2>/dev/null && exit
    kill $gateway && gateway=
done
echo 'no message'
