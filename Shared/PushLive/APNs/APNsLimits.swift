extension APNsSender {
  /// The time limits, and how many connections to have.
  package struct Limits: Sendable {
    /// The limit for opening a connection.
    package var connecting: Duration
    /// The limit for the answer to one push.
    package var answer: Duration
    /// The most connections for one key in one environment.
    package var connections = 4
    /// After this wait of a push for a free stream, another connection is opened.
    package var congestion = Duration.milliseconds(250)
    /// After this silence a connection is checked before it gets a push.
    package var silence = Duration.seconds(15)
    /// The limit for the answer to that check.
    package var liveness = Duration.seconds(2)
    /// How often an idle connection gets a PING, which keeps it open.
    package var keepAlive = Duration.seconds(3_600)

    /// Five and ten seconds unless given.
    package init(connecting: Duration = .seconds(5), answer: Duration = .seconds(10)) {
      (self.connecting, self.answer) = (connecting, answer)
    }
  }
}
