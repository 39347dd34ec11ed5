extension Options {
  static func help(_ command: String?) -> String { command == "why" ? why : explain }

  private static let explain = """
    Who was told of an event, who was not, and why: every gate with what it was
    asked and what it said, then what became of the pushes. What is still on its way
    to its function is explained by runner events why.

    usage: runner explain EVENT-ID [--user USER] [--json]
           runner explain --dry-run --function NAME [EVENT-FILE | -] [--user USER]
                          [--json]

      --user USER     only this person, by e-mail address or id; without it the
                      first 20
      --dry-run       an event that has not happened, from the file or stdin;
                      nothing is changed
      --function NAME the function that would get it
      --event FILE    the file, too
      --json          the same as one JSON document

      --help, --version

    exit: 0 explained, 64 bad usage, 65 bad event, 66 nothing is known of the event
    or the person, 78 misconfigured.

    """

  private static let why = """
    What a person was told lately, what they were not, and why, the newest first;
    and how they stand now: badge, devices, quiet hours, what waits for them.

    usage: runner why USER [--since 1d] [--app APP] [--json]

      USER            an e-mail address or an id
      --since LENGTH  how far back: 30m, 12h, 1d (unless given), 7d
      --app APP       only one app: feedbackkit, lockitin, repairminder, mugshot,
                      messageai
      --json          the same as one JSON document

      --help, --version

    exit: 0 explained, 64 bad usage, 66 there is no such person, 78 misconfigured.

    """
}
