import Foundation
import FunctionKit
import TestSupport

/// The bundle's own `functions.json` with functions besides that write down what they hear.
struct Project {
  /// Functions whose effect is a line of a file, with their triggers and settings.
  private static let ledgers = [
    "pass": #""triggers":[{"table":"letters","events":["INSERT"]},{"table":"parcels","events":["INSERT"]}]"#,
    "noted": #""triggers":[{"table":"parcels","events":["UPDATE"],"columns":["note"]}]"#,
    "block": """
    "triggers":[{"table":"letters","events":["INSERT"]},{"table":"cards","events":["INSERT"]}],"onFailure":"block"
    """,
    "together": #""triggers":[{"table":"letters","events":["INSERT"]}],"batch":16"#,
  ]

  /// Where the functions write.
  let folder: String

  /// The text of `functions.json`.
  ///
  /// - Parameter ports: of the emulator's three faces, so that it comes back where it was.
  func manifest(of bundle: RawJSON, ports: [UInt16]) throws -> String {
    let functions = (bundle["functions"]?.members ?? []).map { function in
      // The samples are elsewhere.
      (
        function.name,
        RawJSON(object: function.value.members.filter { $0.name != "sample" }.map { ($0.name, $0.value) })
      )
    }
    let own = try Self.ledgers.sorted { $0.key < $1.key }.map { name, traits in
      let entry = #"{"executable":"\#(folder)/\#(name).sh",\#(traits),"key":"key","timeout":10}"#
      return (name, try RawJSON(validating: Array(entry.utf8)[...]))
    }
    let emulator = """
      {"push-emulator":{"arguments":["serve","--directory","{state}","--clock-file","{state}/clock","--exit-with-stdin","--keep","500000",
        "--port","\(ports[0])","--sandbox-port","\(ports[1])","--fcm-port","\(ports[2])"],"unless":["APNS_KEY_ID"]}}
      """
    let members = [
      ("functions", RawJSON(object: functions + own)),
      ("services", try RawJSON(validating: Array(emulator.utf8)[...])),
      ("metrics", bundle["metrics"] ?? RawJSON(array: [])),
    ]
    return Schema.manifest(String(decoding: RawJSON(object: members).bytes, as: UTF8.self))
  }

  /// The functions' scripts by the names of their files.
  var scripts: [String: String] {
    Dictionary(
      uniqueKeysWithValues: Self.ledgers.keys.map { ("\($0).sh", $0 == "together" ? batchScript($0) : script($0)) })
  }

  /// Writes a line for each event, at once.
  ///
  /// One event in 29 is refused at its first attempt; one in 397 leaves a process behind that has begun a session of
  /// its own.
  private func script(_ name: String) -> String {
    #"""
    #!/bin/bash
    exec 3>> '\#(folder)/\#(name).effects'
    while IFS= read -r line; do
      id=${line#*'"id":"'} id=${id%%'"'*}
      key=${line#*'"partitionkey":"'} key=${key%%'"'*}
      n=${line#*'"number": '} n=${n%%[!0-9]*} n=${n:-0}
      case $line in
        *'"attempt":'*) attempt=${line#*'"attempt":'} attempt=${attempt%%[!0-9]*} ;;
        *) attempt=0 ;;
      esac
      if (( n % 29 == 0 && attempt == 0 )); then
        printf '{"id":"%s","exit":75,"error":{"message":"Not at once."}}\n' "$id"
        continue
      fi
      if (( n % 397 == 0 )); then setsid sleep 300 < /dev/null > /dev/null 2>&1 3>&- & fi
      printf '%s\n' "\#(name) $id $key $n $attempt $EPOCHREALTIME" >&3
      printf '{"id":"%s","exit":0}\n' "$id"
    done
    """#
  }

  /// Takes all lines that are there as one batch, and writes a line for each event.
  private func batchScript(_ name: String) -> String {
    #"""
    #!/usr/bin/env python3
    import json, os, time
    (rest, effects) = (b"", open("\#(folder)/\#(name).effects", "a"))
    while chunk := os.read(0, 1 << 20):
        *lines, rest = (rest + chunk).split(b"\n")
        events = [json.loads(line) for line in lines]
        for event in events:
            (key, n, attempt) = (event["partitionkey"], event["data"]["record"]["number"], event.get("attempt", 0))
            effects.write(f'\#(name) {event["id"]} {key} {n} {attempt} {time.time():.6f}\n')
        effects.flush()
        os.write(1, "".join(json.dumps({"id": event["id"], "exit": 0}) + "\n" for event in events).encode())
    """#
  }

  /// What the functions have written, each line complete.
  func effects() -> String {
    Self.ledgers.keys.map { Self.completeLines("\(folder)/\($0).effects") }.joined()
  }

  /// A file's text to the end of its last line, without what may be under way; empty where there is none.
  static func completeLines(_ path: String) -> String {
    guard let bytes = FileManager.default.contents(atPath: path), let end = bytes.lastIndex(of: 0x0A) else { return "" }
    return String(decoding: bytes[...end], as: UTF8.self)
  }
}
