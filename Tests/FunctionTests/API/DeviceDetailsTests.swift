import API
import Postgres
import TestSupport
import Testing

@testable import Devices

/// The members of a registration besides its token.
@Suite(.heavy)
struct DeviceDetailsTests {
  /// A person who registers the token for another app: what it does not say is not the first app's.
  @Test func aTokenOfAnotherAppTakesThatAppsTopic() async throws {
    let scene = try await APIScene()
    let columns = ["bundle_id", "app_version", "installation_id"]
    let first = #""token":"abc12345","platform":"iOS","bundleId":"com.first","appVersion":"1","installationId":"i""#
    func stored() async throws -> [String?] {
      var values: [String?] = []
      for column in columns { values.append(try await scene.device("abc12345", column)) }
      return values
    }

    _ = try await scene.register("{\(first)}")
    _ = try await scene.register(#"{"token":"abc12345","platform":"iOS"}"#, as: .ben)
    #expect(try await stored() == ["com.first", "1", "i"])
    _ = try await scene.register(#"{"token":"abc12345","platform":"iOS","app":"mugshot","bundleId":"com.own"}"#)
    #expect(try await stored() == ["com.own", nil, nil])
    let path = "/api/user/device-token"
    _ = try await scene.call(scene.devices, .post, path, #"{"deviceToken":"abc12345"}"#)
    #expect(try await stored() == [nil, nil, nil])

    _ = try await scene.register("{\(first)}")
    try await scene.connection.script(
      """
      CREATE TABLE user_devices (user_id uuid, push_token text, platform text, bundle_id text);
      SELECT push_follow_devices();
      INSERT INTO user_devices VALUES ('\(Person.ben.id)', 'abc12345', 'ios', NULL)
      """)
    #expect(try await scene.device("abc12345", "app") == "mugshot")
    #expect(try await stored() == [nil, nil, nil])
    try await scene.connection.script("UPDATE user_devices SET bundle_id = 'com.mugshot'")
    try await scene.connection.script("UPDATE user_devices SET bundle_id = NULL")
    #expect(try await scene.device("abc12345", "bundle_id") == "com.mugshot")
  }

  @Test(arguments: [
    ("2026.11.26-nightly.1234+abcdef", "2026.11.26-nightly.1"), ("1.0", "1.0"), ("", ""), ("1\\u0000.0", "1.0"),
    ("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧"),
  ])
  func aTextForStatisticsIsCut(version: String, kept: String) async throws {
    let scene = try await APIScene()

    let long = String(repeating: version, count: 60)
    _ = try await scene.register(
      #"{"token":"abc12345","platform":"iOS","appVersion":"\#(version)","osVersion":"\#(long)"}"#)

    #expect(try await scene.device("abc12345", "app_version") == kept)
    #expect((try await scene.device("abc12345", "os_version")?.unicodeScalars.count ?? 0) <= 200)
  }

  @Test func anAppsShorterColumnsGetWhatFits() async throws {
    let scene = try await APIScene()
    try await scene.connection.script(
      """
      CREATE DOMAIN short AS varchar(10);
      ALTER TABLE device_tokens ALTER app_version TYPE varchar(6), ALTER os_version TYPE short;
      """)

    _ = try await scene.register(
      #"{"token":"abc12345","platform":"iOS","appVersion":"2026.11.26","osVersion":"Version 26.1 (Build 25B78)"}"#)

    #expect(try await scene.device("abc12345", "app_version") == "2026.1")
    #expect(try await scene.device("abc12345", "os_version") == "Version 26")
  }
}
