import FunctionKit
import HTTPClient
import Signing
import Testing

@testable import Manifest
@testable import Targets

struct EventRequestTests {
  private static let line = Array(
    #"{"specversion":"1.0","id":"3.7","source":"/postgres/public/votes","type":"dev.push-functions.row","time":"2026-01-02T03:04:05Z","partitionkey":"ä \"1\"%","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","attempt":2,"odd-name":"x","list":[1],"data":{"a": [1, "ü"]}}"#
      .utf8 + [0x0A])

  private func request(
    _ line: [UInt8] = line, change: (inout TargetEntry) throws -> Void = { _ in }, _ variables: [String: String] = [:]
  ) throws -> HTTPCall {
    let settings = try TargetSettings.make(change, variables)
    return try #require(EventRequest(line, id: "3.7", to: settings, time: 1_700_000_000)).call
  }

  @Test func inBinaryModeTheDataIsTheBodyByteForByte() throws {
    let call = try request()

    #expect(call.method == .post && call.url == "https://target.example/events")
    #expect(String(decoding: call.body, as: UTF8.self) == #"{"a": [1, "ü"]}"#)
    let headers = Dictionary(uniqueKeysWithValues: call.headers.map { ($0.name, $0.value) })
    #expect(
      headers == [
        "Content-Type": "application/json", "User-Agent": "push-functions-runner/\(bundleVersion)",
        "ce-specversion": "1.0", "ce-id": "3.7", "ce-source": "/postgres/public/votes",
        "ce-type": "dev.push-functions.row", "ce-time": "2026-01-02T03:04:05Z",
        "ce-partitionkey": "%C3%A4%20%221%22%25", "ce-attempt": "2",
        "ce-traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      ])
  }

  @Test func inStructuredModeTheWholeEventIsTheBody() throws {
    let call = try request(change: { $0.format = .structured })

    #expect(call.body == Array(Self.line.dropLast()))
    #expect(call.headers.contains { $0 == ("Content-Type", "application/cloudevents+json") })
    #expect(call.headers.contains { $0.name == "traceparent" })
    #expect(!call.headers.contains { $0.name.hasPrefix("ce-") })
  }

  @Test func anEventWithoutDataHasAnEmptyBody() throws {
    let call = try request(Array(#"{"specversion":"1.0","id":"3.7","source":"/s","type":"t"}"#.utf8 + [0x0A]))
    #expect(call.body.isEmpty)
  }

  @Test func whatIsNoObjectIsNotSent() throws {
    let settings = try TargetSettings.make()
    #expect(EventRequest(Array("[]\n".utf8), id: "1", to: settings, time: 0) == nil)
  }

  @Test func headersAndURLTakeTheValuesOfVariables() throws {
    let call = try request(
      change: {
        $0.url = try text("https://${HOST}/${PATH_}?k=${HOST}")
        $0.headers = [.init(name: "Authorization", value: try text("Bearer ${TOKEN}"))]
      }, ["HOST": "billing.example", "PATH_": "events", "TOKEN": "secret"])

    #expect(call.url == "https://billing.example/events?k=billing.example")
    #expect(call.headers.contains { $0 == ("Authorization", "Bearer secret") })
  }

  @Test func itIsSignedAsStandardWebhooksSays() throws {
    let secrets = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    let call = try request(change: { $0.secret = "SECRET" }, ["SECRET": secrets])
    func header(_ name: String) -> String { call.headers.first { $0.name == name }?.value ?? "" }

    #expect((header("webhook-id"), header("webhook-timestamp")) == ("3.7", "1700000000"))
    for secret in secrets.split(separator: " ") {
      let keys = try #require(WebhookKeys(String(secret)))
      #expect(
        keys.isSigned(by: header("webhook-signature"), id: "3.7", time: "1700000000", body: call.body))
      #expect(!keys.isSigned(by: header("webhook-signature"), id: "3.7", time: "1700000001", body: call.body))
    }
  }

  /// The example of the specification's own libraries.
  @Test func theSignatureIsThatOfTheReference() throws {
    let keys = try #require(WebhookKeys("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let signature = keys.signatures(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek", time: "1614265330", body: Array(#"{"test": 2432232314}"#.utf8))
    #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }
}

struct TargetSettingsTests {
  private func problem(
    _ variables: [String: String], _ change: (inout TargetEntry) throws -> Void
  ) -> String? {
    do {
      _ = try TargetSettings.make(change, variables)
      return nil
    } catch {
      return (error as? FunctionError)?.message ?? "\(error)"
    }
  }

  @Test func whatIsMissingIsNamedAndNoValueIsShown() throws {
    let change: (inout TargetEntry) throws -> Void = {
      $0.url = try text("https://${HOST}/")
      $0.headers = [.init(name: "X-Key", value: try text("${KEY}"))]
      ($0.secret, $0.region) = ("SECRET", "eu-central-1")
    }
    let missing = problem(["KEY": "", "AWS_ACCESS_KEY_ID": "id"], change)
    #expect(
      missing == "billing runs elsewhere, and its requests need HOST, KEY, SECRET, AWS_SECRET_ACCESS_KEY: not set.")

    let values = ["HOST": "h", "KEY": "k", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "hidden"]
    let unusable = problem(values.merging(["SECRET": "hidden"]) { $1 }, change) ?? ""
    #expect(unusable.contains("SECRET") && !unusable.contains("hidden"))
  }

  @Test(arguments: [
    "ftp://h/", "h/events", "https://", "https://user:hidden@h/", "https://h/ä", "https://h/a b",
  ])
  func aURLThatCannotBeUsedIsNotShown(_ url: String) throws {
    let problem = problem(["URL": url]) { $0.url = try text("${URL}") } ?? ""
    #expect(problem.hasPrefix("billing has a URL that ") && !problem.contains("hidden"))
  }

  @Test func aHeaderCannotBreakTheRequest() throws {
    let problem = problem(["KEY": "hidden\r\nX: y"]) {
      $0.headers = [.init(name: "X-Key", value: try text("${KEY}"))]
    }
    #expect(problem?.contains("X-Key") == true && problem?.contains("hidden") == false)
  }

  @Test func peopleSeeOnlyTheServer() throws {
    let settings = try TargetSettings.make(
      { $0.url = try text("https://h:8080/a/${T}?t=${T}") }, ["T": "hidden"])
    #expect(settings.place == "https://h:8080")
    #expect(!"\(settings)".contains("hidden"))
  }
}

extension TargetSettings {
  /// The settings of `billing`, whose entry may be changed first.
  static func make(
    _ change: (inout TargetEntry) throws -> Void = { _ in }, _ variables: [String: String] = [:],
    timeout: Int = 20, url: String = "https://target.example/events", concurrency: Int = 16,
    batch: Int? = nil
  ) throws -> TargetSettings {
    let batch = batch.map { ",\"batch\":\($0)" } ?? ""
    let text =
      #"{"functions":{"billing":{"url":"\#(url)","timeout":\#(timeout),"concurrency":\#(concurrency)\#(batch)}}}"#
    let manifest = try Manifest(text: Array(text.utf8), file: "functions.json", directory: "/project")
    var entry = manifest.functions[0]
    var target = try #require(entry.target)
    try change(&target)
    entry.target = target
    entry.environment = target.variables
    return try #require(try TargetSettings(entry, variables, directory: "/project"))
  }
}

private func text(_ text: String) throws -> VariableText { try #require(VariableText(text)) }
