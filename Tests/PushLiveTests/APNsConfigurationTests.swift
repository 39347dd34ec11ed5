import FunctionKit
import HTTP2
import Notifications
import Signing
import TestSupport
import Testing

@testable import PushLive

struct APNsConfigurationTests {
  let directory: TemporaryDirectory
  let valid: [String: String]

  init() throws {
    directory = try TemporaryDirectory()
    let key = try directory.write(try SigningKey.generate().privatePEM(), to: "AuthKey.p8")
    valid = [
      "APNS_KEY_ID": "ABC123DEFG", "APNS_TEAM_ID": "DEF123GHIJ", "APNS_BUNDLE_ID": "com.example.my-app",
      "APNS_KEY_PATH": key, "APNS_PRODUCTION": "false",
    ]
  }

  @Test func channelsHaveServersOfTheirOwnAtAppleOnly() throws {
    let apple = try read([:]).server
    let other = try read(["APNS_URL": "https://localhost:8443"]).server

    #expect(
      apple.channels(.sandbox) == Endpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2_195))
    #expect(apple.channels(.production) == Endpoint(host: "api-manage-broadcast.push.apple.com", port: 2_196))
    #expect(other.channels(.production) == Endpoint(host: "localhost", port: 8_443))
  }

  @Test func takesAppleSandboxOrProduction() throws {
    let configuration = try read([:])

    #expect(configuration.environment == .sandbox && configuration.bundleID == "com.example.my-app")
    #expect(configuration.endpoint(.sandbox) == Endpoint(host: "api.sandbox.push.apple.com", port: 443))
    #expect(configuration.endpoint(.production) == Endpoint(host: "api.push.apple.com", port: 443))
    #expect(configuration.trust == .system)
    #expect(try read(["APNS_PRODUCTION": "true"]).environment == .production)
  }

  @Test func takesAnotherServerWithItsOwnAuthority() throws {
    let authority = try directory.write("certificate", to: "ca.pem")

    let configuration = try read(["APNS_URL": "https://localhost:8443", "APNS_CA_PATH": authority])

    #expect(configuration.endpoint(.production) == Endpoint(host: "localhost", port: 8_443))
    #expect(configuration.endpoint(.sandbox) == configuration.endpoint(.production))
    #expect(configuration.trust == .certificateAuthority(path: authority))
  }

  @Test func signsTokensThatTheKeyVerifies() throws {
    let configuration = try read([:])

    let key = try #require(configuration.keys.first)
    let text = try key.sign(issuedAt: 1_800_000_000)
    let token = try JWT(parsing: text)

    #expect(token.keyID == "ABC123DEFG" && token.issuer == "DEF123GHIJ" && token.issuedAt == 1_800_000_000)
    #expect(key.hasSigned(text) && !key.hasSigned("\(text)x"))
  }

  @Test(arguments: ["APNS_KEY_ID", "APNS_TEAM_ID", "APNS_BUNDLE_ID", "APNS_KEY_PATH", "APNS_PRODUCTION"])
  func namesWhatIsMissing(name: String) {
    let missing = name == "APNS_KEY_PATH" ? "APNS_KEY or APNS_KEY_PATH" : name
    let rule = name == "APNS_PRODUCTION" ? ": it must be true or false" : ""
    #expect(problem([name: ""]) == "\(missing) is missing\(rule).")
  }

  @Test(arguments: [
    ("APNS_KEY_ID", "ABC123DEF"), ("APNS_KEY_ID", "ABC123DEF!"), ("APNS_TEAM_ID", "ABC123DEFGH"),
    ("APNS_TEAM_ID", "ÄBC123DEF"), ("APNS_BUNDLE_ID", "my app"), ("APNS_BUNDLE_ID", "com/example"),
    ("APNS_TOPICS", "lockitn=com.example.app"), ("APNS_TOPICS", "lockitin"), ("APNS_TOPICS", "lockitin=a=b"),
    ("APNS_PRODUCTION", "yes"), ("APNS_PRODUCTION", "1"), ("APNS_KEY_PATH", "/nonexistent/key.p8"),
    ("APNS_KEY_PATH", "/dev/null"), ("APNS_KEY_PATH", "/"), ("APNS_URL", "http://localhost:8443"),
    ("APNS_CA_PATH", "/etc/passwd"),
  ])
  func namesWhatIsWrong(name: String, value: String) {
    let sentence = problem([name: value])

    #expect(sentence?.hasPrefix("\(name) ") == true && sentence?.contains(";") == false)
  }

  @Test func anAppHasItsOwnTopicAndNoOthers() throws {
    let configuration = try read(["APNS_TOPICS": "mugshot=com.example.mug"])

    #expect(configuration.topic(of: "mugshot") == "com.example.mug")
    #expect(
      configuration.topic(of: "feedbackkit") == "com.example.my-app" && configuration.topic(of: "lockitin") == nil)
    let own = try read(["APNS_TOPICS": "feedbackkit=com.example.other"])
    #expect(own.topic(of: "feedbackkit") == "com.example.other")
    #expect(problem(["APNS_TOPICS": "mugshot=my app"])?.contains("APNS_TOPICS: mugshot must be a bundle id") == true)
  }

  @Test func namesEverythingAtOnce() {
    let sentence = problem(["APNS_KEY_ID": "", "APNS_TEAM_ID": "x", "APNS_PRODUCTION": "maybe", "APNS_URL": "ftp://x"])

    #expect(
      sentence
        == "APNS_KEY_ID is missing; APNS_TEAM_ID must be the 10 letters and digits of the team's id; "
        + "APNS_PRODUCTION must be true or false; APNS_URL must be https://host or https://host:port.")
  }

  @Test func refusesAFileThatHoldsNoES256Key() throws {
    let text = "-----BEGIN PRIVATE KEY-----\nbm90IGEga2V5\n-----END PRIVATE KEY-----\n"
    let path = try directory.write(text, to: "other.p8")

    #expect(problem(["APNS_KEY_PATH": path])?.contains("ES256") == true)
  }

  @Test(arguments: ["https://api.push.apple.com", "https://API.sandbox.push.apple.com:2197"])
  func refusesAnotherAuthorityForApple(url: String) throws {
    let authority = try directory.write("certificate", to: "ca.pem")

    #expect(problem(["APNS_URL": url, "APNS_CA_PATH": authority]) == "APNS_CA_PATH is refused for Apple's servers.")
  }

  @Test func refusesAnAuthorityThatIsNotThere() {
    let sentence = problem(["APNS_URL": "https://localhost", "APNS_CA_PATH": "/nonexistent/ca.pem"])

    #expect(sentence == "APNS_CA_PATH must name a readable file.")
  }

  @Test func doesNotShowItsKey() throws {
    #expect(!String(reflecting: try read([:])).contains("BEGIN"))
    #expect(!"\(try read(["APNS_PROXY": "http://me:hunter2@localhost:3128"]))".contains("hunter2"))
  }

  private func read(_ changes: [String: String]) throws -> APNsConfiguration {
    try APNsConfiguration(Environment(valid.merging(changes) { $1 }))
  }

  /// The sentence with which the changed environment is refused as a misconfiguration.
  private func problem(_ changes: [String: String]) -> String? {
    do {
      _ = try read(changes)
      return nil
    } catch let error as FunctionError {
      return error.code == .misconfigured ? error.message : nil
    } catch {
      return nil
    }
  }
}
