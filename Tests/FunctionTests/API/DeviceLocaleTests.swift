import API
import FunctionKit
import Postgres
import TestSupport
import Testing

@testable import Devices

/// The language that a registration says.
@Suite(.heavy)
struct DeviceLocaleTests {
  @Test(arguments: [
    (#""locale":"de_AT""#, nil, "de-AT"), (#""locale":"pt-br""#, "de", "pt-BR"),
    (#""locale":"no language""#, "de", "de"), (#""locale":null"#, "nl, fr-CA;q=0.8, de;q=0.9", "de"),
    ("", "nl, *", nil), ("", nil, nil),
  ])
  func theFieldComesBeforeTheHeader(field: String, header: String?, locale: String?) async throws {
    let scene = try await APIScene()

    for path in ["/api/v1/devices/register", "/api/user/device-token"] {
      let body = #"{"token":"abc12345","deviceToken":"abc12345","platform":"iOS"\#(field.isEmpty ? "" : ",\(field)")}"#
      let answer = try await scene.call(
        scene.devices, .post, path, body, headers: header.map { ["Accept-Language": $0] } ?? [:])

      #expect(answer.status == 201)
      #expect(answer.json["locale"]?.stringValue == locale)
    }
    #expect(try await scene.device("abc12345", "locale") == locale)
  }

  @Test func aRegistrationThatSaysNothingKeepsIt() async throws {
    let scene = try await APIScene()

    _ = try await scene.register(#"{"token":"abc12345","platform":"iOS","locale":"de"}"#)
    _ = try await scene.register(#"{"token":"abc12345","platform":"iOS"}"#)

    #expect(try await scene.device("abc12345", "locale") == "de")
  }

  /// Arguments: how an app made its own column, what a device says, and what is kept.
  @Test(arguments: [
    ("varchar(5) NOT NULL DEFAULT 'en'", nil, "en"), ("varchar(5) NOT NULL DEFAULT 'en'", "de-AT", "de-AT"),
    ("varchar(5) NOT NULL DEFAULT 'en'", "zh-Hant-TW", "en"), ("tongue DEFAULT 'en'", "de", "en"),
    ("tongue DEFAULT 'en'", nil, "en"), ("text DEFAULT 'en_US' CHECK (locale IN ('en_US', 'de_DE'))", "de-DE", "en_US"),
    ("text GENERATED ALWAYS AS ('en') STORED", "de", "en"),
  ])
  func noDeviceIsLostToAnAppsOwnColumn(column: String, said: String?, kept: String) async throws {
    let scene = try await APIScene()
    try await scene.connection.script(
      """
      CREATE TYPE tongue AS ENUM ('en', 'de');
      ALTER TABLE device_tokens DROP locale, ADD locale \(column);
      """)
    let locale = said.map { #","locale":"\#($0)""# } ?? ""

    for _ in 1...2 {
      _ = try await scene.register(#"{"token":"abc12345","platform":"iOS"\#(locale)}"#)
    }

    #expect(try await scene.device("abc12345", "locale") == kept)
  }
}
