import FunctionKit
import HTTP2
import HTTPClient
import Signing
import TestSupport
import Testing

@testable import PushLive

struct FCMConfigurationTests {
  let directory: TemporaryDirectory
  let account: String

  init() throws {
    directory = try TemporaryDirectory()
    account = try directory.write(
      TestServiceAccount.json(tokenURI: "https://oauth2.googleapis.com/token"), to: "account.json")
  }

  @Test func isNoneUnlessSomebodyWantsIt() throws {
    #expect(try FCMConfiguration(Environment(["FCM_URL": "https://localhost"])) == nil)
  }

  @Test func takesOneAccountForAllApps() throws {
    let configuration = try read([:])

    #expect(configuration.endpoint == Endpoint(host: "fcm.googleapis.com", port: 443))
    #expect(configuration.trust == .system && configuration.messagesPerMinute == 600_000)
    let account = try #require(configuration.account(for: "anything"))
    #expect(account.projectID == "test-project" && account.privateKeyID == "0123abcd")
    #expect(account.clientEmail == "sender@test-project.iam.gserviceaccount.com")
    #expect(account.tokenURI == "https://oauth2.googleapis.com/token")
  }

  @Test func aByteOrderMarkBeforeTheFileIsIgnored() throws {
    #expect(try unusable("\u{FEFF}" + TestServiceAccount.json(tokenURI: "https://x.test/token")) == nil)
  }

  @Test func takesAnAccountForEachApp() throws {
    try directory.write(TestServiceAccount.json(project: "chat", tokenURI: "https://x.test/token"), to: "chat.json")
    let list = try directory.write(
      #"{"accounts":[{"app":"messageai","path":"chat.json"},{"app":"mugshot","path":"\#(account)"}]}"#, to: "list.json")

    let configuration = try read(["FCM_SERVICE_ACCOUNTS_PATH": list])
    let alone = try read(["FCM_SERVICE_ACCOUNTS_PATH": list, "FCM_SERVICE_ACCOUNT_PATH": ""])

    #expect(configuration.account(for: "messageai")?.projectID == "chat")
    #expect(configuration.account(for: "lockitin")?.projectID == "test-project")
    #expect(configuration.projects.map(\.projectID) == ["chat", "test-project"])
    #expect(alone.account(for: "lockitin") == nil && alone.account(for: "mugshot")?.projectID == "test-project")
  }

  @Test func takesAnotherServerWithItsOwnAuthority() throws {
    let authority = try directory.write("certificate", to: "ca.pem")

    let configuration = try read(["FCM_URL": "https://localhost:8443", "FCM_CA_PATH": authority])

    #expect(configuration.endpoint == Endpoint(host: "localhost", port: 8_443))
    #expect(configuration.trust == .certificateAuthority(path: authority))
    // Google's own endpoint for access tokens is never trusted by another authority.
    let google = try #require(configuration.fallback)
    #expect(configuration.trust(for: google) == .system)
    let other = try directory.write(TestServiceAccount.json(tokenURI: "https://localhost:8443/token"), to: "o.json")
    #expect(configuration.trust(for: try ServiceAccount(path: other)) == .certificateAuthority(path: authority))
  }

  @Test(arguments: [
    ("FCM_SERVICE_ACCOUNT_PATH", "/nonexistent/account.json"), ("FCM_SERVICE_ACCOUNT_PATH", "/"),
    ("FCM_SERVICE_ACCOUNTS_PATH", "/nonexistent/list.json"), ("FCM_SERVICE_ACCOUNTS_PATH", "/etc/passwd"),
    ("FCM_URL", "http://localhost:8443"), ("FCM_CA_PATH", "/etc/passwd"), ("FCM_MESSAGES_PER_MINUTE", "many"),
    ("FCM_MESSAGES_PER_MINUTE", "59"),
  ])
  func namesWhatIsWrong(name: String, value: String) {
    let sentence = problem([name: value])

    #expect(sentence?.hasPrefix("\(name) ") == true && sentence?.contains(";") == false)
  }

  @Test func refusesAnotherAuthorityForGoogle() throws {
    let authority = try directory.write("certificate", to: "ca.pem")

    #expect(
      problem(["FCM_URL": "https://FCM.googleapis.com", "FCM_CA_PATH": authority])
        == "FCM_CA_PATH is refused for Google's servers.")
  }

  @Test(arguments: [
    ("project_id", "has no project_id"), ("client_email", "has no client_email"), ("token_uri", "has no token_uri"),
    ("private_key", "has no private_key"), ("type", "is not the JSON file of a service account"),
  ])
  func namesWhatAnAccountLacks(member: String, problem: String) throws {
    let text = TestServiceAccount.json(tokenURI: "https://x.test/token").replacing("\"\(member)\":", with: "\"other\":")

    #expect(try unusable(text)?.hasPrefix(problem) == true)
  }

  @Test(arguments: [
    ("", "is not valid JSON"), (#"{"type":"service_account""#, "is not valid JSON"),
    (#"{"type":"authorized_user"}"#, "is not the JSON file of a service account"), ("[]", "is not the JSON file"),
    (TestServiceAccount.rsaKey, "is not valid JSON"),
    (
      TestServiceAccount.json(tokenURI: "https://x.test/t").replacing(#"\n"#, with: #"\\n"#),
      #"has a private_key that has \n"#
    ),
    (
      TestServiceAccount.json(tokenURI: "https://x.test/t").replacing(#"\n"#, with: ""),
      "has a private_key that is on one"
    ),
  ])
  func eachFaultOfAnAccountHasASentence(_ text: String, _ problem: String) throws {
    #expect(try unusable(text.isEmpty ? " " : text)?.hasPrefix(problem) == true)
  }

  @Test func saysWhyAFileIsNotThere() throws {
    let empty = try directory.write("", to: "empty.json")
    for (path, fault) in [("/no.json", "does not exist"), (directory.path, "is a folder"), (empty, "is empty")] {
      #expect { try ServiceAccount(path: path) } throws: { "\($0)" == fault }
      let sentence = try #require(problem(["FCM_SERVICE_ACCOUNT_PATH": path]))
      #expect(sentence == "FCM_SERVICE_ACCOUNT_PATH names a file that \(fault).")
    }
  }

  @Test func refusesAKeyThatIsNotForRS256AndAPlainTokenURI() throws {
    let key = try SigningKey.generate().privatePEM()

    #expect(
      try unusable(TestServiceAccount.json(tokenURI: "https://x.test/token", key: key))
        == "has a private_key that has an EC key on prime256v1, which is not for RS256")
    #expect(try unusable(TestServiceAccount.json(tokenURI: "http://x.test/token"))?.contains("https://") == true)
    #expect(
      try unusable(TestServiceAccount.json(project: "a/b", tokenURI: "https://x.test/t"))
        == "has an invalid project_id")
  }

  @Test func doesNotShowItsKey() throws {
    #expect(!String(reflecting: try read([:])).contains("BEGIN"))
    #expect("\(try read([:]))".contains("«redacted»"))
  }

  private func read(_ changes: [String: String]) throws -> FCMConfiguration {
    let variables = ["FCM_SERVICE_ACCOUNT_PATH": account].merging(changes) { $1 }
    return try #require(try FCMConfiguration(Environment(variables)))
  }

  private func problem(_ changes: [String: String]) -> String? {
    do {
      _ = try read(changes)
      return nil
    } catch {
      return (error as? FunctionError).flatMap { $0.code == .misconfigured ? $0.message : nil }
    }
  }

  private func unusable(_ text: String) throws -> String? {
    let path = try directory.write(text, to: "broken.json")
    do {
      _ = try ServiceAccount(path: path)
      return nil
    } catch {
      return error.description
    }
  }
}
