import Documents

extension PersonSummary {
  /// `Ada <ada@example.com>`.
  var title: String {
    switch (name, email) {
    case (let name?, let email?): "\(name) <\(email)>"
    case (let word?, nil), (nil, let word?): word
    case (nil, nil): "somebody who is no longer registered (\(id))"
    }
  }
}

extension DeviceSummary {
  var title: String { "\(platform) \(token)…" }
}
