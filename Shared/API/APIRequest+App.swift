package import Notifications

extension APIRequest {
  /// The query's app; FeedbackKit if it names none.
  package func app() throws(APIError) -> App { try parameter("app", .choice) ?? .default }
}
