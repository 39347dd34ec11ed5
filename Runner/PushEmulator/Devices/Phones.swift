import FoundationEssentials

/// The devices with their Live Activities, the faults on the way to them, and the pushes for those that are offline.
struct Phones: Sendable {
  var registry = DeviceRegistry()
  var faults = FaultScript()
  var held = HeldPushes()
  var activities = Activities()

  /// The effect of a valid push: by the device's script, by a fault, or by the device's state.
  mutating func effect(
    on push: Fault.Target, refusal: (DeviceRegistry) -> Answer?
  ) -> (effect: Effect, fault: Int?) {
    if let scripted = registry.nextScripted(for: push.token) { return (scripted, nil) }
    if let (effect, fault) = faults.effect(on: push) {
      // If a fault accepts the push, the device decides.
      if effect.answer == .accepted, let answer = refusal(registry) {
        return (Effect(answer, delay: effect.delay), fault)
      }
      return (effect, fault)
    }
    return (refusal(registry).map { Effect($0) } ?? .accepted, nil)
  }

  /// Lets a push wait if its device is offline.
  ///
  /// - Returns: whether it is kept, `nil` if it has arrived; and of a broadcast the activities that it has not reached.
  mutating func hold(_ push: Judgement, seq: Int, now: Date) -> (isStored: Bool?, missed: [String]) {
    guard push.effect.isTaken else { return (nil, []) }
    if let channel = push.channel {
      let missed = activities.listeners(to: channel, of: push.app, at: now).filter { !isReached($0.phone) }
      return (missed.isEmpty ? nil : push.isKept, missed.map(\.token))
    }
    guard registry.state(of: push.token)?.isOnline == false else { return (nil, []) }
    let storage = push.storage(seq: seq, now: now)
    held.hold(seq, for: push.token, storage)
    return (storage != nil, [])
  }

  /// Whether a broadcast reaches a phone now: it is online, and has the app.
  private func isReached(_ phone: String) -> Bool {
    guard let state = registry.state(of: phone) else { return true }
    guard state.isOnline != false else { return false }
    switch state.registration {
    case .registered, nil: return true
    case .unregistered, .expired, .invalid: return false
    }
  }

  /// Gives devices that are online their waiting pushes.
  mutating func deliverHeld(in history: PushHistory, now: Date) {
    for token in held.tokens.sorted() where registry.state(of: token)?.isOnline != false {
      for seq in held.deliver(to: token, after: history.lastSeq, now: now) {
        if let push = history[seq] { activities.receive(push, at: now) }
      }
    }
    let phones = self
    activities.deliverKept(where: phones.isReached, at: now)
  }
}
