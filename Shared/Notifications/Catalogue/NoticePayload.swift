package import PushPayload

extension Notice {
  /// The push for a recipient, without its badge.
  /// - Parameters:
  ///   - sound: the sound that the person chose; `nil` for the system's.
  ///   - allowsCritical: whether alerts to the person may be critical, which needs an entitlement from Apple.
  package func payload(for recipient: Recipient, sound: String? = nil, allowsCritical: Bool = false) -> PushPayload {
    guard isShown else {
      var payload = PushPayload(values: values(for: recipient))
      payload.threadID = subject.id
      return payload
    }
    var payload = kind.payload(
      saying: text(for: recipient), values(for: recipient), thread: subject.id, sound: sound,
      allowsCritical: allowsCritical)
    payload.category = category(for: recipient)
    if hasImage { payload.isMutable = true }
    return payload
  }
}

extension Kind {
  /// The push for a text of this kind, without its badge.
  /// - Parameters:
  ///   - values: the app's own keys.
  ///   - thread: the id of its group on the device.
  ///   - sound: the sound that the person chose; `nil` for the system's.
  ///   - allowsCritical: whether alerts to the person may be critical.
  package func payload(
    saying text: NotificationText, _ values: [String: PushPayload.Value], thread: String, sound: String? = nil,
    allowsCritical: Bool = false
  ) -> PushPayload {
    var payload = PushPayload(alert: .init(title: text.title, body: text.body), values: values)
    let isAlarm = isCritical && allowsCritical
    payload.sound = importance.hasSound ? self.sound(unless: sound, isAlarm: isAlarm) : nil
    payload.threadID = thread
    payload.category = category
    payload.interruptionLevel = isAlarm ? .critical : importance.interruptionLevel
    payload.relevanceScore = importance.relevanceScore
    payload.isMutable = app.profile.hasMutableAlerts
    payload.isContentAvailable = app.profile.isWokenByAlerts
    return payload
  }
}
