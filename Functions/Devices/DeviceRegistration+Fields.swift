import API
import FunctionKit
import Notifications
import StoreLive

extension DeviceRegistration {
  /// Reads what an app sent.
  init(_ fields: Fields) throws(APIError) {
    self.init(
      token: try fields.required("token", .deviceToken), app: try fields.optional("app", .choice) ?? .feedbackKit,
      platform: try fields.required("platform", .choice))
    provider = try fields.optional("provider", .choice)
    appVersion = try fields.optional("appVersion", .text(0...20))
    osVersion = try fields.optional("osVersion", .text(0...200))
    environment = try fields.optional("environment", .choice)
    bundleID = try fields.optional("bundleId", .text(1...255))
    installationID = try fields.optional("installationId", .text(1...255))
  }
}

extension FieldRule where Value == String {
  /// A token as APNs (hexadecimal digits) and FCM give it; nobody promises its length, and an index of PostgreSQL takes
  /// 2,704 bytes.
  static var deviceToken: FieldRule {
    FieldRule("a device token: 1 to 2048 visible ASCII characters") { document in
      document.stringValue.flatMap { token in
        (1...2_048).contains(token.utf8.count) && token.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? token : nil
      }
    }
  }
}
