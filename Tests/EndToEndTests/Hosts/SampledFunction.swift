import FunctionKit
import Signing
import TestSupport
import Testing

/// A function of `functions.json` with an event.
struct SampledFunction: Sendable, CustomTestStringConvertible {
  let name: String
  /// A CloudEvent, or for a function of the API a request in the proxy shape.
  let event: RawJSON
  private let entry: RawJSON

  static func all() throws -> [SampledFunction] {
    let manifest = try RawJSON(validating: Array(House.text("functions.json").utf8)[...])
    return try (manifest["functions"]?.members ?? []).map { try SampledFunction(name: $0.name, entry: $0.value) }
  }

  private init(name: String, entry: RawJSON) throws {
    (self.name, self.entry) = (name, entry)
    let text = try entry["sample"]?.stringValue.map(House.text) ?? "{}"
    let sample = try RawJSON(validating: Array(text.utf8)[...])
    guard sample["specversion"] == nil, sample["rawPath"] == nil else {
      event = sample
      return
    }
    event = RawJSON(object: [
      ("specversion", RawJSON("1.0")), ("id", RawJSON("sample-\(name)")), ("source", RawJSON("/samples")),
      ("type", RawJSON("dev.sample")),
      ("data", sample),
    ])
  }

  var testDescription: String { name }
  var isProxied: Bool { event["rawPath"] != nil }
  var needsDatabase: Bool { (entry["environment"]?.elements ?? []).contains { $0.stringValue == "DATABASE_URL" } }
  /// Whether it records its result with the event's source and id.
  var recordsResults: Bool {
    // The row of a channel has what became of it.
    name != "activity-channels" && (entry["triggers"]?.elements ?? []).contains { $0["table"] != nil }
  }
  /// The requests that bring its event.
  var requests: [HostedRequest] { isProxied ? [.proxied(event)] : [.binary(event), .structured(event)] }

  /// The variables that it needs; files of it are written into the folder.
  func variables(database: String, _ folder: TemporaryDirectory) throws -> [String: String] {
    if name == "activity-channels" {
      let key = try SigningKey.generate().privatePEM()
      return [
        "DATABASE_URL": database, "APNS_KEY": key, "APNS_KEY_ID": "ABC123DEFG", "APNS_TEAM_ID": "DEF123GHIJ",
        "APNS_BUNDLE_ID": "com.example.app", "APNS_PRODUCTION": "false",
      ]
    }
    guard name == "push-delivery" else { return ["DATABASE_URL": database] }
    let account = try folder.write(
      TestServiceAccount.json(tokenURI: "https://127.0.0.1:1/token"), to: "account.json")
    return ["DATABASE_URL": database, "FCM_SERVICE_ACCOUNT_PATH": account]
  }
}
