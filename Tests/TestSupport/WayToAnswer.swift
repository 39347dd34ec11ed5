/// The behaviour of a process that is not ours when it has read its event, and what that means for the event.
package struct WayToAnswer: Sendable, CustomStringConvertible {
  package let description: String
  private let act: String
  /// The code of the outcome where answers are lines, as of `--stream`.
  package let stream: String
  /// The code of the outcome where the exit status is the verdict.
  package let oneShot: String

  private init(_ name: String, _ act: String, _ stream: String, oneShot: String? = nil) {
    (description, self.act, self.stream, self.oneShot) = (name, act, stream, oneShot ?? stream)
  }

  /// A shell script that does it, without the first line.
  ///
  /// - Parameter before: what it does first; it knows the event as `$line`, and its `$id`.
  package func script(before: String = "") -> String {
    #"""
    read -r line; id=${line#*'"id":"'} id=${id%%'"'*}
    \#(before)
    \#(act)
    cat > /dev/null
    """#
  }

  /// In a process for one event what is no answer to it is a result, and silence is the lack of one.
  package static let all = [
    Self("done", line(#""exit":0"#), "OK"),
    Self("done, and a status besides", line(#""exit":0"#) + "; exit 1", "OK", oneShot: "WORKER_ERROR"),
    Self("done, and goes on", line(#""exit":0"#) + "; exec sleep 1000", "OK", oneShot: "WORKER_TIMEOUT"),
    Self("done, and then not", line(#""exit":0"#) + "; " + line(#""exit":65"#), "OK", oneShot: "INVALID_OUTPUT"),
    Self("the event is wrong", line(#""exit":65"#), "INVALID_EVENT"),
    Self("the event is wrong, and the process ends well", line(#""exit":65"#) + "; exit 0", "INVALID_EVENT"),
    Self("it has failed", line(#""exit":1"#), "WORKER_ERROR"),
    Self("it has failed, without an id", #"echo '{"exit":1}'"#, "WORKER_ERROR", oneShot: "OK"),
    Self("later", line(#""exit":75,"error":{"retryAfter":0}"#), "UNAVAILABLE"),
    Self("it lacks a setting", line(#""exit":78"#), "CONFIG_ERROR"),
    Self("done, without an id", #"echo '{"exit":0}'"#, "INVALID_OUTPUT", oneShot: "OK"),
    Self("another's answer", #"echo '{"id":"other","exit":0}'"#, "INVALID_OUTPUT", oneShot: "OK"),
    Self("no exit status", #"printf '{"id":"%s"}\n' "$id""#, "INVALID_OUTPUT", oneShot: "OK"),
    Self("no JSON", "echo done", "INVALID_OUTPUT"),
    Self("half a line", #"printf '{"id":"%s","exit":0}' "$id"; exit 0"#, "INVALID_OUTPUT", oneShot: "OK"),
    Self("silence", "exit 0", "INVALID_OUTPUT", oneShot: "OK"),
    Self("silence, and the event is wrong", "exit 65", "INVALID_EVENT"),
    Self("silence, and it has failed", "exit 3", "WORKER_ERROR"),
    Self("silence, and later", "exit 75", "UNAVAILABLE"),
    Self("silence, and it lacks a setting", "exit 78", "CONFIG_ERROR"),
    Self("a signal", "kill -KILL $$", "WORKER_CRASH"),
    Self("no answer in time", "exec sleep 1000", "WORKER_TIMEOUT"),
  ]

  /// Answers the event with a line.
  private static func line(_ members: String) -> String { #"printf '{"id":"%s",\#(members)}\n' "$id""# }
}
