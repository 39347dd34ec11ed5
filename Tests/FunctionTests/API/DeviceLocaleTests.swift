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
}
