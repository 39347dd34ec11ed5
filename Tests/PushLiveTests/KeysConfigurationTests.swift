import FoundationEssentials
import FunctionKit
import Notifications
import Signing
import TestSupport
import Testing

@testable import PushLive

/// Several keys by a file.
struct KeysConfigurationTests {
  let directory: TemporaryDirectory
  let base = ["APNS_BUNDLE_ID": "com.example.app", "APNS_PRODUCTION": "false"]

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(try SigningKey.generate().privatePEM(), to: "a.p8")
  }

  @Test func theMostSpecificKeyWins() throws {
    let configuration = try read(
      """
      {"keys":[
        {"keyId":"ALLTOPICS1","teamId":"TEAM000001","path":"a.p8"},
        {"keyId":"SANDBOX001","teamId":"TEAM000001","path":"a.p8","environments":["sandbox"],"topics":["com.example.b"]},
        {"keyId":"SECONDONE1","teamId":"TEAM000002","path":"\(directory.path)/a.p8","topics":["com.example.b","c"]}]}
      """)

    #expect(configuration.keyID("com.example.app", .sandbox) == "ALLTOPICS1")
    #expect(configuration.keyID("com.example.b", .sandbox) == "SANDBOX001")
    #expect(configuration.keyID("com.example.b", .production) == "SECONDONE1")
    #expect(configuration.keyID("c", .sandbox) == "SECONDONE1")
  }

  @Test func theKeyOfTheEnvironmentAndThoseOfTheFileAreUsedTogether() throws {
    let configuration = try read(
      #"{"keys":[{"keyId":"SPECIAL001","teamId":"TEAM000001","path":"a.p8","topics":["com.example.b"]}]}"#,
      ["APNS_KEY_ID": "OWNKEY0001", "APNS_TEAM_ID": "TEAM000001", "APNS_KEY_PATH": "\(directory.path)/a.p8"])

    #expect(configuration.keyID("com.example.app", .production) == "OWNKEY0001")
    #expect(configuration.keyID("com.example.b", .production) == "SPECIAL001")
  }

  @Test func aByteOrderMarkBeforeTheFileIsIgnored() throws {
    let file = "\u{FEFF}" + #"{"keys":[{"keyId":"ALLTOPICS1","teamId":"TEAM000001","path":"a.p8"}]}"#

    #expect(try read(file).keyID("c", .sandbox) == "ALLTOPICS1")
  }

  @Test func aPairWithoutAKeyHasNone() throws {
    let configuration = try read(
      """
      {"keys":[{"keyId":"SPECIAL001","teamId":"TEAM000001","path":"a.p8","environments":["sandbox"],
        "topics":["com.example.app"]}]}
      """)

    #expect(configuration.keyID("com.example.app", .production) == nil)
    #expect(configuration.keyID("com.example.b", .sandbox) == nil)
  }

  @Test(arguments: [
    (#"{"keys":[]}"#, "APNS_KEYS_PATH must name a readable JSON file"),
    (#"{"keys":"#, "APNS_KEYS_PATH must name a readable JSON file"),
    (#"{"keys":[{"teamId":"TEAM000001","path":"a.p8"}]}"#, "APNS_KEYS_PATH: keys[0].keyId is missing"),
    (#"{"keys":[{"keyId":"short","teamId":"TEAM000001","path":"a.p8"}]}"#, "keys[0].keyId must be the 10 letters"),
    (#"{"keys":[{"keyId":"ALLTOPICS1","teamId":"T","path":"a.p8"}]}"#, "keys[0].teamId must be the 10 letters"),
    (#"{"keys":[{"keyId":"ALLTOPICS1","teamId":"TEAM000001","path":"no.p8"}]}"#, "keys[0].path must name a .p8 file"),
    (
      #"{"keys":[{"keyId":"ALLTOPICS1","teamId":"TEAM000001","path":"a.p8","environments":["test"]}]}"#,
      "keys[0].environments must list"
    ),
    (
      #"{"keys":[{"keyId":"ALLTOPICS1","teamId":"TEAM000001","path":"a.p8","topics":[]}]}"#, "keys[0].topics must list"
    ),
    (
      #"{"keys":[{"keyId":"ALLTOPICS1","teamId":"TEAM000001","path":"a.p8","environments":["production"]}]}"#,
      "APNS_KEYS_PATH has no key for com.example.app in sandbox"
    ),
  ])
  func namesWhatIsWrong(file: String, problem: String) {
    #expect(sentence(file).contains(problem))
  }

  @Test func namesEverythingThatIsWrongAtOnce() {
    let sentence = sentence(
      #"{"keys":[{"keyId":"x","teamId":"TEAM000001","path":"a.p8"},{"keyId":"ALLTOPICS1","teamId":"y"}]}"#,
      ["APNS_PRODUCTION": "perhaps", "APNS_PROXY": "ftp://x"])

    for part in ["keys[0].keyId", "keys[1].teamId", "keys[1].path", "APNS_PRODUCTION", "APNS_PROXY"] {
      #expect(sentence.contains(part))
    }
  }

  private func read(_ file: String, _ more: [String: String] = [:]) throws -> APNsConfiguration {
    let path = try directory.write(file, to: "keys.json")
    return try APNsConfiguration(
      Environment(base.merging(["APNS_KEYS_PATH": path]) { $1 }.merging(more) { $1 }))
  }

  private func sentence(_ file: String, _ more: [String: String] = [:]) -> String {
    do {
      _ = try read(file, more)
      return ""
    } catch {
      return "\(error)"
    }
  }
}

extension APNsConfiguration {
  fileprivate func keyID(_ topic: String, _ environment: PushEnvironment) -> String? {
    key(for: APNsApp(environment: environment, topic: topic))?.keyID
  }
}
