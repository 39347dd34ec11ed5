extension FCMSender {
  /// The time limits.
  package struct Limits: Sendable {
    /// The limit for a connection, and for an access token.
    package var connecting: Duration
    /// The limit for the answer to one message.
    ///
    /// FCM wants at least ten seconds.
    package var answer: Duration
    /// The longest wait for the pace in one batch.
    ///
    /// A push that must wait longer is given back, so that others go on.
    package var pacing: Duration

    /// Five, ten and three seconds unless given.
    package init(
      connecting: Duration = .seconds(5), answer: Duration = .seconds(10), pacing: Duration = .seconds(3)
    ) {
      (self.connecting, self.answer, self.pacing) = (connecting, answer, pacing)
    }

    // An access token, a connection, and the answer to a message.
    var round: Duration { connecting * 2 + answer }
  }
}
