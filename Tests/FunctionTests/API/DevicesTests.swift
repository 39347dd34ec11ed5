import API
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import Devices

extension APIScene {
  var devices: Devices { Devices(tokens: tokens, store: DeviceStore(connection)) }

  /// Registers a device and answers with its id.
  func register(_ body: String, as person: Person = .ada, at now: Date = Demo.now) async throws -> String {
    let answer = try await call(devices, .post, "/api/v1/devices/register", as: person, body, at: now)
    guard let id = answer.json["id"]?.stringValue else { throw FunctionError(.failed, answer.reason ?? "no id") }
    return id
  }

  func device(_ token: String, _ column: String) async throws -> String? {
    let rows = try await connection.query(
      "SELECT \(identifier: column)::text AS value FROM device_tokens WHERE token = \(token)")
    return try rows.only()["value"]
  }
}

@Suite(.heavy)
struct DevicesTests {
  private static let body = #"{"token":"abc12345","platform":"IOS","appVersion":"1.2.0","osVersion":"18.0"}"#

  @Test func aDeviceIsRegisteredAsTheSeedShows() async throws {
    let scene = try await APIScene()

    let answer = try await scene.call(scene.devices, .post, "/api/v1/devices/register", Self.body)

    #expect(answer.status == 201)
    #expect(answer.json["platform"]?.stringValue == "iOS")
    #expect(answer.json["isActive"] == RawJSON(true))
    #expect(answer.json["createdAt"]?.stringValue == RFC3339.seconds(Demo.now))
    #expect(answer.json["appVersion"]?.stringValue == "1.2.0")
    #expect(!(answer.response.body ?? "").contains("abc12345"))
    #expect(try await scene.device("abc12345", "provider") == "apns")
  }

  @Test func theSameTokenAgainIsTheSameDeviceOfItsNewOwner() async throws {
    let scene = try await APIScene()
    let first = try await scene.register(Self.body)
    _ = try await scene.connection.query(
      "UPDATE device_tokens SET is_active = false, deactivated_reason = 'Unregistered' WHERE token = 'abc12345'")

    let again = try await scene.register(
      #"{"token":"abc12345","platform":"iOS","appVersion":"1.3"}"#, as: .ben, at: Demo.now + 60)

    #expect(again == first)
    #expect(try await scene.device("abc12345", "user_id") == Person.ben.id)
    #expect(try await scene.device("abc12345", "is_active") == "true")
    #expect(try await scene.device("abc12345", "deactivated_reason") == nil)
    #expect(try await scene.device("abc12345", "app_version") == "1.3")
    #expect(try await scene.device("abc12345", "os_version") == "18.0")
    let ofAda = try await scene.call(scene.devices, .get, "/api/v1/devices")
    #expect(ofAda.json["devices"]?.elements?.contains { $0["id"]?.stringValue == first } == false)
  }

  @Test func aNewTokenOfAnInstallationReplacesTheOld() async throws {
    let scene = try await APIScene()
    _ = try await scene.register(#"{"token":"0ddddddd","platform":"iOS","installationId":"phone"}"#)

    _ = try await scene.register(#"{"token":"eeeeeeee","platform":"iOS","installationId":"phone"}"#)

    #expect(try await scene.device("0ddddddd", "is_active") == "false")
    #expect(try await scene.device("eeeeeeee", "is_active") == "true")
    _ = try await scene.register(#"{"token":"ffffffff","platform":"iOS","installationId":"phone"}"#, as: .ben)
    #expect(try await scene.device("eeeeeeee", "is_active") == "true")
  }

  @Test func whatElseADeviceSaysIsKept() async throws {
    let scene = try await APIScene()
    let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:-_")
    // This cannot be compressed: an index takes no more.
    let token = String((0..<2_048).map { _ in alphabet.randomElement() ?? "x" })

    _ = try await scene.register(
      """
      {"token":"\(token)","platform":"Android","app":"messageai","environment":"sandbox","bundleId":"dev.example"}
      """)

    #expect(try await scene.device(token, "provider") == "fcm")
    #expect(try await scene.device(token, "app") == "messageai")
    #expect(try await scene.device(token, "environment") == "sandbox")
    #expect(try await scene.device(token, "bundle_id") == "dev.example")
  }

  @Test func thePersonsDevicesAreListedAndNobodyElses() async throws {
    let scene = try await APIScene()
    let id = try await scene.register(Self.body, as: .finn)

    let answer = try await scene.call(scene.devices, .get, "/api/v1/devices", as: .finn)

    #expect(answer.status == 200)
    let devices = try #require(answer.json["devices"]?.elements)
    #expect(devices.map { $0["id"]?.stringValue } == [id])
    #expect(devices.first.map { Set($0.members.map(\.name)).contains("token") } == false)
    let other = try await scene.call(scene.devices, .get, "/api/v1/devices", as: .finn, query: ["app": "lockitin"])
    #expect(other.json["devices"]?.elements?.isEmpty == true)
  }

  @Test func aDeviceSaysWhatItHasAndLeavesOutTheRest() async throws {
    let scene = try await APIScene()
    let id = try await scene.register(Self.body, as: .finn)
    func devices(_ values: String) async throws -> String? {
      try await scene.connection.script("UPDATE device_tokens SET \(values) WHERE id = '\(id)'")
      return try await scene.call(scene.devices, .get, "/api/v1/devices", as: .finn).response.body
    }

    let full = try await devices(
      #"""
      app_version = E'1/"\\\u0001é', os_version = '26', locale = 'de-AT', is_active = false,
      created_at = '2026-01-02 03:04:05.9+00', last_used_at = '1969-12-31 23:59:59.5+00'
      """#)
    let bare = try await devices(
      """
      app_version = NULL, os_version = NULL, locale = NULL, is_active = true, created_at = NULL, last_used_at = NULL
      """)

    #expect(
      full == #"""
        {"devices":[{"app":"feedbackkit","appVersion":"1/\"\\\u0001é","createdAt":"2026-01-02T03:04:05Z","id":"\#(id)",\#
        "isActive":false,"lastUsedAt":"1969-12-31T23:59:59Z","locale":"de-AT","osVersion":"26","platform":"iOS"}]}
        """#)
    #expect(bare == #"{"devices":[{"app":"feedbackkit","id":"\#(id)","isActive":true,"platform":"iOS"}]}"#)
  }

  @Test func anUnregisteredDeviceIsGone() async throws {
    let scene = try await APIScene()
    let id = try await scene.register(Self.body, as: .finn)
    let path = "/api/v1/devices/\(id)"

    #expect(try await scene.call(scene.devices, .delete, path, as: .ada).status == 404)
    #expect(try await scene.device("abc12345", "is_active") == "true")
    let answer = try await scene.call(scene.devices, .delete, path, as: .finn)
    #expect(answer.status == 204 && answer.response.body == nil)
    #expect(try await scene.device("abc12345", "is_active") == "false")
    #expect(try await scene.call(scene.devices, .delete, path, as: .finn).status == 404)
    #expect(try await scene.call(scene.devices, .get, "/api/v1/devices", as: .finn).json["devices"]?.elements == [])
    #expect(try await scene.register(Self.body, as: .finn) == id)
  }

  @Test func repairMindersNamesMeanTheSame() async throws {
    let scene = try await APIScene()
    let path = "/api/user/device-token"

    let answer = try await scene.call(scene.devices, .post, path, #"{"deviceToken":"0a0b0c0d","platform":"ios"}"#)
    #expect(answer.status == 201)
    #expect(try await scene.device("0a0b0c0d", "app") == "repairminder")
    #expect(try await scene.call(scene.devices, .delete, path, as: .ben, #"{"deviceToken":"0a0b0c0d"}"#).status == 204)
    #expect(try await scene.device("0a0b0c0d", "is_active") == "true")
    #expect(try await scene.call(scene.devices, .delete, path, #"{"deviceToken":"0a0b0c0d"}"#).status == 204)
    #expect(try await scene.device("0a0b0c0d", "is_active") == "false")
  }

  @Test func aTokenOfAPNsIsOneDeviceWhateverItsCase() async throws {
    let scene = try await APIScene()
    let first = try await scene.register(#"{"token":"ABcd1234","platform":"iOS"}"#)

    let again = try await scene.register(#"{"token":"abCD1234","platform":"macOS"}"#, as: .ben)

    #expect(first == again)
    #expect(try await scene.device("abcd1234", "user_id") == Person.ben.id)
    // FCM's tokens are not hexadecimal digits, even where they look like some.
    for token in ["ABcd1234", "abcd1234"] {
      _ = try await scene.register(#"{"token":"x\#(token)","platform":"Android"}"#)
    }
    #expect(try await scene.demo.number("SELECT count(*) FROM device_tokens WHERE lower(token) = 'xabcd1234'") == 2)
  }

  @Test func aRowThatTheAppHasWrittenInAnotherCaseIsFound() async throws {
    let scene = try await APIScene()
    _ = try await scene.connection.query(
      "INSERT INTO device_tokens (user_id, token, platform) VALUES (\(Person.ada.id)::uuid, 'ABcd1234', 'iOS')")
    let row = try await scene.device("ABcd1234", "id")

    #expect(try await scene.register(#"{"token":"abcd1234","platform":"iOS"}"#) == row)
    #expect(try await scene.demo.number("SELECT count(*) FROM device_tokens WHERE lower(token) = 'abcd1234'") == 1)
  }

  @Test func whatAnAppWritesInAnotherCaseTakesTheDeviceOver() async throws {
    let scene = try await APIScene()
    _ = try await scene.register(#"{"token":"abcd1234","platform":"iOS"}"#)
    func active() async throws -> [String] {
      try await scene.connection.query(
        "SELECT token FROM device_tokens WHERE lower(token) = 'abcd1234' AND is_active"
      ).decode("token")
    }

    _ = try await scene.connection.query(
      "INSERT INTO device_tokens (user_id, token, platform) VALUES (\(Person.ben.id)::uuid, 'AbCd1234', 'iOS')")
    #expect(try await active() == ["AbCd1234"])
    _ = try await scene.connection.query(
      "UPDATE device_tokens SET is_active = true, registered_at = now() WHERE token = 'abcd1234'")
    #expect(try await active() == ["abcd1234"])
  }

  @Test func registrationsOfATokenAtOnceAreOneDevice() async throws {
    let scene = try await APIScene()
    _ = try await scene.connection.query(
      "INSERT INTO device_tokens (user_id, token, platform) VALUES (\(Person.ada.id)::uuid, 'ABCD1234', 'iOS')")
    let scenes = try await [scene, APIScene.second(scene), APIScene.second(scene)]

    let ids = try await withThrowingTaskGroup(of: String.self) { group in
      for (scene, token) in zip(scenes, ["abcd1234", "ABcd1234", "ABCD1234"]) {
        group.addTask { try await scene.register(#"{"token":"\#(token)","platform":"iOS"}"#) }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }

    #expect(ids.count == 1)
    #expect(try await scene.demo.number("SELECT count(*) FROM device_tokens WHERE lower(token) = 'abcd1234'") == 1)
  }

  @Test func aDeviceIsUnregisteredByItsToken() async throws {
    let scene = try await APIScene()
    _ = try await scene.register(#"{"token":"fcm:1_22","platform":"Android","app":"messageai"}"#)
    _ = try await scene.register(#"{"token":"abcd1234","platform":"iOS"}"#)
    func delete(_ token: String, as person: Person = .ada) async throws -> Int {
      try await scene.call(scene.devices, .delete, "/api/v1/devices/token/\(token)", as: person).status
    }

    #expect(try await delete("fcm%3A1_22", as: .ben) == 204)
    #expect(try await scene.device("fcm:1_22", "is_active") == "true")
    for token in ["fcm%3A1_22", "ABCD1234", "unknown"] { #expect(try await delete(token) == 204) }
    #expect(try await scene.device("fcm:1_22", "is_active") == "false")
    #expect(try await scene.device("abcd1234", "is_active") == "false")
  }

  @Test func aPersonHasAtMostTwentyDevicesOfAnApp() async throws {
    let scene = try await APIScene()
    func token(_ number: Int) -> String { String(10_000_000 + number) }
    for number in 0..<20 {
      _ = try await scene.register(
        #"{"token":"\#(token(number))","platform":"iOS"}"#, as: .finn, at: Demo.now + Double(number))
    }
    _ = try await scene.register(#"{"token":"aaaaaaaa","platform":"iOS","app":"mugshot"}"#, as: .finn)
    _ = try await scene.connection.query(
      "UPDATE device_tokens SET last_accepted_at = \(Demo.now + 100) WHERE token = \(token(0))")

    _ = try await scene.register(#"{"token":"\#(token(20))","platform":"iOS"}"#, as: .finn, at: Demo.now + 20)

    let ended = try await scene.connection.query(
      "SELECT token FROM device_tokens WHERE deactivated_reason = 'too_many'"
    ).decode("token", as: String.self)
    #expect(ended == [token(1)])
    #expect(try await scene.device("aaaaaaaa", "is_active") == "true")
  }

  @Test func repairMindersDeviceKeepsItsBundleID() async throws {
    let scene = try await APIScene()
    let path = "/api/user/device-token"

    _ = try await scene.call(
      scene.devices, .post, path, #"{"deviceToken":"0a0b0c0d","bundleId":"com.mendmyi.repairminder"}"#)
    #expect(try await scene.device("0a0b0c0d", "bundle_id") == "com.mendmyi.repairminder")
    let refused = try await scene.call(scene.devices, .post, path, #"{"deviceToken":"0a0b0c0d","bundleId":"my app"}"#)
    #expect(refused.status == 400 && refused.reason == "bundleId must be a bundle id such as com.example.app.")
  }

  @Test(arguments: [
    (#"{"platform":"iOS"}"#, "token is missing."),
    (#"{"token":"aaaaaaaa","platform":"iOS","os_version":"18"}"#, "os_version must be written osVersion."),
    (#"{"token":"aaaaaaaa","platform":"iOS","bundle_id":"a.b"}"#, "bundle_id must be written bundleId."),
    (#"{"token":"aaaa bbbb","platform":"iOS"}"#, "token must be a device token"),
    (#"{"token":"","platform":"iOS"}"#, "token must be a device token"),
    (#"{"token":"../../4/x","platform":"iOS"}"#, "token must be a device token of APNs: 8 to 200 hexadecimal digits"),
    (#"{"token":"abcdefg","platform":"iOS"}"#, "token must be a device token of APNs"),
    (#"{"token":"abcdef123","platform":"iOS"}"#, "8 to 200 hexadecimal digits, two for each byte."),
    (#"{"token":"\#(String(repeating: "a", count: 199))","platform":"iOS"}"#, "two for each byte."),
    (#"{"token":"\#(String(repeating: "a", count: 201))","platform":"iOS"}"#, "token must be a device token of APNs"),
    (#"{"token":"abc/../../x","platform":"Android"}"#, "token must be a registration token of FCM"),
    (#"{"token":"abcdefgh","platform":"iOS","provider":"apns"}"#, "token must be a device token of APNs"),
    (#"{"token":"aaaaaaaa"}"#, "platform is missing."),
    (#"{"token":"aaaaaaaa","platform":"Symbian"}"#, "platform must be one of iOS, iPadOS"),
    (#"{"token":"aaaaaaaa","platform":"iOS","app":"other"}"#, "app must be one of feedbackkit"),
    (#"{"token":"aaaaaaaa","platform":"iOS","environment":"test"}"#, "environment must be one of sandbox, production"),
    (#"{"token":"aaaaaaaa","platform":"iOS","appVersion":12}"#, "appVersion must be a text"),
    (
      #"{"token":"aaaaaaaa","platform":"iOS","osVersion":{"a":1}}"#,
      "osVersion must be a text"
    ), (#"{"token":"aaaaaaaa","platform":"iOS","installationId":7}"#, "installationId must be a text of 1 to 255"),
  ])
  func whatIsWrongIsNamedAndNothingChanges(_ body: String, _ sentence: String) async throws {
    let scene = try await APIScene()
    let before = try await scene.demo.number("SELECT count(*) FROM device_tokens")

    let answer = try await scene.call(scene.devices, .post, "/api/v1/devices/register", body)

    #expect(answer.status == 400)
    #expect(answer.reason?.contains(sentence) == true, "\(answer.reason ?? "")")
    #expect(try await scene.demo.number("SELECT count(*) FROM device_tokens") == before)
  }

  @Test func aDryRunAnswersAndChangesNothing() async throws {
    let scene = try await APIScene()

    let answer = try await scene.call(scene.devices, .post, "/api/v1/devices/register", Self.body, dryRun: true)

    #expect(answer.status == 201)
    #expect(try await scene.demo.number("SELECT count(*) FROM device_tokens WHERE token = 'abc12345'") == 0)
  }
}
