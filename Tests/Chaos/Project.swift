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

  /// The function that runs elsewhere, under `runner host`.
  static let remote = "remote"

  /// Where the functions write.
  let folder: String

  /// The text of `functions.json`.
  ///
  /// - Parameters:
  ///   - ports: of the emulator's three faces, so that it comes back where it was.
  ///   - target: the port where ``remote`` runs.
  func manifest(of bundle: RawJSON, ports: [UInt16], target: UInt16) throws -> String {
    let functions = (bundle["functions"]?.members ?? []).map { ($0.name, Self.placed($0.value)) }
    let own = try Self.ledgers.sorted { $0.key < $1.key }.map { name, traits in
      let entry = #"{"executable":"\#(folder)/\#(name).sh",\#(traits),"key":"key","timeout":10}"#
      return (name, try RawJSON(validating: Array(entry.utf8)[...]))
    }
    let elsewhere = #"""
      {"url":"http://127.0.0.1:\#(target)/functions/v1/\#(Self.remote)","cloudevents":"structured","key":"key","timeout":3,
        "triggers":[{"table":"letters","events":["INSERT"]}]}
      """#
    let emulator = """
      {"push-emulator":{"arguments":["serve","--directory","{state}","--clock-file","{state}/clock","--exit-with-stdin","--keep","500000",
        "--port","\(ports[0])","--sandbox-port","\(ports[1])","--fcm-port","\(ports[2])"],"unless":["APNS_KEY_ID"]}}
      """
    let members = [
      (
        "functions",
        RawJSON(object: functions + own + [(Self.remote, try RawJSON(validating: Array(elsewhere.utf8)[...]))])
      ),
      ("services", try RawJSON(validating: Array(emulator.utf8)[...])),
      ("metrics", bundle["metrics"] ?? RawJSON(array: [])),
    ]
    return Schema.manifest(String(decoding: RawJSON(object: members).bytes, as: UTF8.self))
  }

  /// A function of the bundle as it is written in another folder, where it may go by a clock that is wrong.
  private static func placed(_ function: RawJSON) -> RawJSON {
    let names = (function["environment"]?.elements ?? []) + Clocks.variables.map { RawJSON("\($0)?") }
    // The samples are elsewhere.
    let others = function.members.filter { !["sample", "environment"].contains($0.name) }.map { ($0.name, $0.value) }
    return RawJSON(object: others + [("environment", RawJSON(array: names))])
  }

  /// The text of the `functions.json` of ``remote``, where it runs.
  var targetManifest: String {
    #"{"functions":{"\#(Self.remote)":{"executable":"\#(folder)/\#(Self.remote).sh","concurrency":16,"timeout":10}}}"#
  }

  /// The functions' scripts by the names of their files.
  var scripts: [String: String] {
    Dictionary(
      uniqueKeysWithValues: Self.names.map { ("\($0).sh", $0 == "together" ? batchScript($0) : script($0)) })
  }

  /// All that write down what they hear.
  private static var names: [String] { ledgers.keys + [remote] }

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

  /// The lines that the functions have written, each complete.
  func effects() -> String {
    Self.names.map { Self.completeLines("\(folder)/\($0).effects") }.joined()
  }

  /// A file's text to the end of its last line, without what may be under way; empty where there is none.
  static func completeLines(_ path: String) -> String {
    guard let bytes = FileManager.default.contents(atPath: path), let end = bytes.lastIndex(of: 0x0A) else { return "" }
    return String(decoding: bytes[...end], as: UTF8.self)
  }
}
