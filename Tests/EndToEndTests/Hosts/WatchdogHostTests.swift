import Foundation
import FunctionKit
import Signing
import TestSupport
import Testing

/// A function under a watchdog of OpenFaaS that starts `runner host` for each request.
@Suite(.heavy)
struct WatchdogHostTests {
  private func call(
    _ name: String, _ method: String = "POST", _ body: String = "{}", _ variables: [String: String] = [:]
  ) async throws -> BuiltExecutables.Outcome {
    // As both watchdogs set them; the classic one has the last three.
    let request = [
      "Http_Method": method, "Http_Path": "/", "Http_Content_Type": "application/json",
      "Http_Content_Length": "\(body.utf8.count)", "Http_ContentLength": "\(body.utf8.count)",
      "Http_Host": "gateway:8080",
    ]
    return try await BuiltExecutables.run(
      "runner", ["host", name, "--project", House.root.path], stdin: body,
      environment: request.merging(variables) { $1 })
  }

  @Test func attributesInHeaderFieldsSurvive() async throws {
    let binary = [
      "Http_Ce_Specversion": "1.0", "Http_Ce_Id": "7", "Http_Ce_Source": "/s", "Http_Ce_Type": "t",
      "Http_Traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ]
    let outcome = try await call("echo", "POST", #"{"a":1}"#, binary)

    #expect(outcome.exit == 0 && outcome.stderr == "")
    #expect(outcome.stdout.contains(#""id":"7","source":"/s","type":"t""#))
    #expect(outcome.stdout.contains(#""traceparent":"00-4bf9"#) && outcome.stdout.contains(#""data":{"a":1}"#))
  }

  @Test func aCallWithoutABodyHasTheCallsID() async throws {
    let outcome = try await call("echo", "POST", "", ["Http_X_Call_Id": "call-1"])

    #expect(outcome.exit == 0 && outcome.stdout.contains(#""id":"call-1","source":"/http/echo""#))
  }

  @Test func anEncodedBodyIsRefused() async throws {
    let outcome = try await call("echo", "POST", "{}", ["Http_Content_Encoding": "gzip"])

    #expect(outcome.exit == 65 && outcome.stdout == "" && outcome.stderr.contains("Content-Encoding gzip"))
  }

  @Test func aWebhookIsCheckedHereToo() async throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      """
      {"functions":{"hook":{"executable":"\(BuiltExecutables.path(of: "echo"))",
        "triggers":[{"http":"signature","secret":"HOOK_SECRET"}]}}}
      """, to: "functions.json")
    let key = [UInt8](repeating: 7, count: 24)
    let time = "\(Int(Date.now.timeIntervalSince1970))"
    let code = HMACSHA256.code(for: Array("msg_1.\(time).{}".utf8), key: key)
    let variables = [
      "Http_Method": "POST", "HOOK_SECRET": "whsec_\(Data(key).base64EncodedString())", "Http_Webhook_Id": "msg_1",
      "Http_Webhook_Timestamp": time, "Http_Webhook_Signature": "v1,\(Data(code).base64EncodedString())",
    ]
    func call(_ body: String) async throws -> BuiltExecutables.Outcome {
      try await BuiltExecutables.run(
        "runner", ["host", "hook", "--project", folder.path], stdin: body, environment: variables)
    }

    let (signed, forged) = (try await call("{}"), try await call(#"{"a":1}"#))

    #expect(signed.exit == 0 && signed.stdout.contains(#""id":"msg_1""#), "\(signed.stderr)")
    #expect(forged.exit == 65 && forged.stdout == "" && forged.stderr.contains(#""http.status":"401""#))
  }

  @Test(arguments: [("POST", "{", 65), ("GET", "", 65), ("POST", "{}", 65)])
  func aFailurePrintsNothingForTheCaller(_ method: String, _ body: String, _ exit: Int32) async throws {
    let outcome = try await call("vote-cast", method, body, ["DATABASE_URL": "postgres:///d?host=/nowhere"])

    #expect(outcome.exit == exit && outcome.stdout == "" && outcome.stderr.contains(#""level":"error""#))
  }

  /// A function alone is a filter, which a classic watchdog can start, too.
  @Test func withoutTheHostTheBodyIsTheEvent() async throws {
    let event = #"{"specversion":"1.0","id":"7","source":"/s","type":"t","data":{"a":1}}"#
    let variables = ["Http_Method": "POST", "Http_Path": "/"]
    let done = try await BuiltExecutables.run("echo", stdin: event, environment: variables)
    let failed = try await BuiltExecutables.run("echo", stdin: "{", environment: variables)

    #expect(done.exit == 0 && done.stdout.contains(#""id":"7","source":"/s""#))
    #expect(failed.exit == 65)
  }

  @Test func aSignalEndsTheProcessToo() async throws {
    let folder = try TemporaryDirectory()
    try folder.write(#"{"functions":{"slow":{"executable":"slow","mode":"oneshot"}}}"#, to: "functions.json")
    try folder.write("#!/bin/sh\ntouch begun\nexec sleep 1000\n", to: "slow", mode: 0o700)
    let host = try RunningProgram(
      "runner", ["host", "slow", "--project", folder.path], environment: ["Http_Method": "POST"])
    while access("\(folder.path)/begun", F_OK) != 0, host.ended == nil { await Task.yield() }

    host.send(SIGTERM)

    #expect(try await host.exit() == 75)
    #expect(host.lines.contains { $0.contains(#""http.status":"503""#) })
  }

  @Test func aFunctionOfTheAPIPrintsTheBodyAlone() async throws {
    let found = try await call("openapi", "GET", "", ["Http_Path": "/openapi.json"])
    let database = ["DATABASE_URL": "postgres:///d?host=/nowhere", "Http_Path": "/api/v1/devices"]
    let refused = try await call("devices", "GET", "", database)
    let away = try await call(
      "devices", "GET", "", database.merging(["Http_Authorization": "Bearer t"]) { $1 })

    #expect(found.exit == 0 && found.stdout.hasPrefix("{") && found.stdout.contains(#""openapi""#))
    #expect(!found.stdout.contains("statusCode"))
    #expect(refused.exit == 65 && refused.stdout == "" && refused.stderr.contains(#""http.status":"401""#))
    #expect(away.exit == 75 && away.stdout == "")
  }
}
