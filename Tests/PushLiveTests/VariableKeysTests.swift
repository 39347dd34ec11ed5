import Foundation
import FunctionKit
import Notifications
import Signing
import TestSupport
import Testing

@testable import PushLive

/// Keys and service accounts in variables, for hosts that have no files.
struct VariableKeysTests {
  /// A form that people give a key or file in a variable.
  struct Form: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let write: @Sendable (String) -> String
  }

  static let forms = [
    Form(testDescription: "as it is") { $0 },
    Form(testDescription: "line ends as text") { $0.replacing("\n", with: #"\n"#) },
    Form(testDescription: "Windows' line ends as text") { $0.replacing("\n", with: #"\r\n"#) },
    Form(testDescription: "Windows' line ends") { $0.replacing("\n", with: "\r\n") },
    Form(testDescription: "spaces for line ends") { $0.replacing("\n", with: " ") },
    Form(testDescription: "no line ends") { $0.replacing("\n", with: "") },
    Form(testDescription: "in quotes") { "\"\($0.replacing("\n", with: #"\n"#))\"" },
    Form(testDescription: "indented") { $0.split(separator: "\n").map { "    \($0)\n" }.joined() },
    Form(testDescription: "Base64") { Data($0.utf8).base64EncodedString() },
    Form(testDescription: "Base64 without its end") {
      Data($0.utf8).base64EncodedString().replacing("=", with: "")
    },
    Form(testDescription: "Base64 in lines") {
      Data($0.utf8).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
    },
    Form(testDescription: "Base64 of line ends as text") {
      Data($0.replacing("\n", with: #"\n"#).utf8).base64EncodedString()
    },
    Form(testDescription: "the Base64 that is in the file") {
      $0.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    },
  ]

  @Test(arguments: forms) func aKeyHasManyForms(form: Form) throws {
    let key = try SigningKey.generate()
    let configuration = try apns(["APNS_KEY": form.write(try key.privatePEM())])

    let token = try #require(configuration.keys.first).sign(issuedAt: 1_800_000_000)

    #expect(try JWT(parsing: token).isSigned(by: try key.verificationKey()))
    #expect(configuration.keys.map(\.path) == [nil] && configuration.keys[0].source.refresh() == .none)
    #expect(!"\(configuration)".contains("BEGIN"))
  }

  @Test(arguments: forms) func aListsKeysHaveTheSameForms(form: Form) throws {
    let text = form.write(try SigningKey.generate().privatePEM())
    let key = RawJSON(object: [
      ("keyId", RawJSON("KEY0000001")), ("teamId", RawJSON("TEAM000001")), ("key", RawJSON(text)),
    ])
    let json = String(decoding: RawJSON(object: [("keys", RawJSON(array: [key]))]).bytes, as: UTF8.self)

    for written in [json, Data(json.utf8).base64EncodedString()] {
      let configuration = try apns(["APNS_KEY_ID": "", "APNS_TEAM_ID": "", "APNS_KEYS": written])
      #expect(configuration.keys.map(\.keyID) == ["KEY0000001"])
    }
  }

  @Test(
    arguments: forms.filter {
      ["as it is", "Base64", "Base64 without its end", "Base64 in lines"].contains($0.testDescription)
    })
  func aServiceAccountIsJSONOrBase64(form: Form) throws {
    let json = TestServiceAccount.json(tokenURI: "https://x.test/token")
    let configuration = try #require(try fcm(["FCM_SERVICE_ACCOUNT": form.write(json)]))

    let account = try #require(configuration.fallback)
    #expect(account.projectID == "test-project" && account.path == nil)
    #expect(try account.assertion(issuedAt: 0).split(separator: ".").count == 3)
    #expect(!"\(configuration)".contains("BEGIN"))
  }

  @Test(arguments: forms) func anAccountsKeyHasTheFormsOfAKey(form: Form) throws {
    let json = account(key: form.write(TestServiceAccount.rsaKey + "\n"))

    #expect(try fcm(["FCM_SERVICE_ACCOUNT": json])?.fallback?.projectID == "chat")
  }

  @Test func aListHasAccountsAsObjectsAsTextsAndAsFiles() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(TestServiceAccount.json(project: "c", tokenURI: "https://x.test/t"), to: "c.json")
    let object = TestServiceAccount.json(project: "a", tokenURI: "https://x.test/t")
    let text = Data(TestServiceAccount.json(project: "b", tokenURI: "https://x.test/t").utf8).base64EncodedString()
    let list = """
      {"accounts":[{"app":"feedbackkit","account":\(object)},{"app":"mugshot","account":"\(text)"},
       {"app":"lockitin","path":"\(path)"}]}
      """

    let configuration = try #require(try fcm(["FCM_SERVICE_ACCOUNTS": list]))

    let projects = ["feedbackkit", "mugshot", "lockitin"].map { configuration.account(for: $0)?.projectID }
    #expect(projects == ["a", "b", "c"])
    #expect(configuration.account(for: "messageai") == nil)
  }

  static let ec = (try? SigningKey.generate().privatePEM()) ?? ""

  /// Each fault is one sentence.
  @Test(arguments: [
    (["APNS_KEY": "not a key"], "APNS_KEY must be a .p8 file's text for ES256, and has no line -----BEGIN"),
    (["APNS_KEY": TestServiceAccount.rsaKey], "APNS_KEY must be a .p8 file's text for ES256, and has an RSA key"),
    (["APNS_KEY": String(ec.prefix(60))], "APNS_KEY must be a .p8 file's text for ES256, and is cut off"),
    (["APNS_KEY": "/keys/AuthKey.p8"], "APNS_KEY must be a .p8 file's text for ES256, and has no line"),
    (["APNS_KEY": ec, "APNS_KEY_PATH": "/k.p8"], "APNS_KEY and APNS_KEY_PATH are both set, and only one may be."),
    ([:], "APNS_KEY or APNS_KEY_PATH is missing."),
    (["APNS_KEY": ec, "APNS_KEYS": "{"], #"APNS_KEYS must be JSON {"keys":["#),
    (["APNS_KEY": ec, "APNS_KEYS": #"{"keys":[]}"#], #"APNS_KEYS must be JSON {"keys":["#),
    (["APNS_KEY": ec, "APNS_KEYS": "{}", "APNS_KEYS_PATH": "/k"], "APNS_KEYS and APNS_KEYS_PATH are both set"),
    (
      ["APNS_KEY": ec, "APNS_KEYS": #"{"keys":[{"keyId":"KEY0000001","teamId":"TEAM000001"}]}"#],
      "APNS_KEYS: keys[0].key or APNS_KEYS: keys[0].path is missing."
    ),
    (
      ["APNS_KEY": ec, "APNS_KEYS": #"{"keys":[{"keyId":"KEY0000001","teamId":"TEAM000001","key":"x"}]}"#],
      "APNS_KEYS: keys[0].key must be a .p8 file's text"
    ),
  ])
  func namesWhatIsWrongWithAKey(variables: [String: String], sentence: String) {
    #expect { try apns(variables) } throws: { Self.isOne($0, sentence) }
  }

  @Test(arguments: [
    (["FCM_SERVICE_ACCOUNT": "account.json"], "FCM_SERVICE_ACCOUNT is not valid JSON"),
    (["FCM_SERVICE_ACCOUNT": "{}"], "FCM_SERVICE_ACCOUNT is not the JSON file of a service account"),
    (
      ["FCM_SERVICE_ACCOUNT": #"{"type":"service_account","project_id":"p"}"#],
      "FCM_SERVICE_ACCOUNT has no client_email."
    ),
    (
      ["FCM_SERVICE_ACCOUNT": "{}", "FCM_SERVICE_ACCOUNT_PATH": "/a.json"],
      "FCM_SERVICE_ACCOUNT and FCM_SERVICE_ACCOUNT_PATH are both set, and only one may be."
    ),
    (["FCM_SERVICE_ACCOUNTS": "[]"], #"FCM_SERVICE_ACCOUNTS must be JSON {"accounts":["#),
    (["FCM_SERVICE_ACCOUNTS": #"{"accounts":[{"app":"a"}]}"#], "FCM_SERVICE_ACCOUNTS: accounts[0].path or "),
    (["FCM_SERVICE_ACCOUNTS": #"{"accounts":[{"account":{}}]}"#], "FCM_SERVICE_ACCOUNTS: accounts[0].app is missing."),
    (
      ["FCM_SERVICE_ACCOUNTS": #"{"accounts":[{"app":"a","account":{}}]}"#],
      "FCM_SERVICE_ACCOUNTS names for a an account that is not the JSON file of a service account"
    ),
    (
      ["FCM_SERVICE_ACCOUNTS": "{}", "FCM_SERVICE_ACCOUNTS_PATH": "/a.json"],
      "FCM_SERVICE_ACCOUNTS and FCM_SERVICE_ACCOUNTS_PATH are both set, and only one may be."
    ),
  ])
  func namesWhatIsWrongWithAnAccount(variables: [String: String], sentence: String) {
    #expect { try fcm(variables) } throws: { Self.isOne($0, sentence) }
  }

  private static func isOne(_ error: any Error, _ sentence: String) -> Bool {
    guard let error = error as? FunctionError, error.code == .misconfigured else { return false }
    return error.message.hasPrefix(sentence) && error.message.hasSuffix(".") && !error.message.contains(";")
  }

  private func apns(_ variables: [String: String]) throws -> APNsConfiguration {
    let base = [
      "APNS_KEY_ID": "ABC123DEFG", "APNS_TEAM_ID": "DEF123GHIJ", "APNS_BUNDLE_ID": "com.example.app",
      "APNS_PRODUCTION": "false",
    ]
    return try APNsConfiguration(Environment(base.merging(variables) { $1 }))
  }

  private func fcm(_ variables: [String: String]) throws -> FCMConfiguration? {
    try FCMConfiguration(Environment(variables))
  }

  private func account(key: String) -> String {
    let json = RawJSON(object: [
      ("type", RawJSON("service_account")), ("project_id", RawJSON("chat")), ("private_key", RawJSON(key)),
      ("client_email", RawJSON("a@b.test")), ("token_uri", RawJSON("https://x.test/token")),
    ])
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
