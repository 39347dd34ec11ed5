#!/bin/sh
# Keeps the event of a new order, one line each.
event=$(cat)
printf '%s\n' "$event" >>"$SHOP_FOLDER/receipts"
echo '{"printed":true}'
