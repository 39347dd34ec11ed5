/// The fields of a message (`google.firebase.fcm.v1.Message`), in the spelling of the protobuf.
///
/// Source: https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
enum FCMFields {
  static let request = ["validate_only", "message"]
  static let message = [
    "name", "data", "notification", "android", "webpush", "apns", "fcm_options", "token", "fid", "topic", "condition",
  ]
  static let notification = ["title", "body", "image"]
  static let android = [
    "collapse_key", "priority", "ttl", "restricted_package_name", "data", "notification", "fcm_options",
    "direct_boot_ok", "bandwidth_constrained_ok", "restricted_satellite_ok",
  ]
  static let androidNotification = [
    "title", "body", "icon", "color", "sound", "tag", "click_action", "body_loc_key", "body_loc_args",
    "title_loc_key", "title_loc_args", "channel_id", "ticker", "sticky", "event_time", "local_only",
    "notification_priority", "default_sound", "default_vibrate_timings", "default_light_settings",
    "vibrate_timings", "visibility", "notification_count", "light_settings", "image", "bypass_proxy_notification",
    "proxy",
  ]
  static let apns = ["headers", "payload", "fcm_options", "live_activity_token"]

  /// Turns `collapseKey` into `collapse_key`: protobuf's JSON has both spellings.
  static func snakeCase(_ name: String) -> String {
    name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
  }
}
