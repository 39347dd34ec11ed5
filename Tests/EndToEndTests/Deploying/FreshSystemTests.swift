import Foundation
import FunctionKit
import TestSupport
import Testing

/// The package in a system that has nothing but Debian, and the image by itself.
@Suite(.heavy, .qualifiesReleases)
struct FreshSystemTests {
  private static let system = "\(House.root.path)/.build/fresh-system.tar"

  private static var canTry: Bool {
    getenv("PUSH_FUNCTIONS_PRODUCTS") != nil && getuid() == 0
      && ["chroot", "ip", "unshare"].allSatisfy { name in
        ["/usr/sbin", "/usr/bin"].contains { access("\($0)/\(name)", X_OK) == 0 }
      }
  }

  private func bash(_ script: String, _ words: [String]) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run(
      "/bin/bash", ["-euo", "pipefail", "-c", script, "bash"] + words,
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin",
        // Git's settings may be there.
        "HOME": ProcessInfo.processInfo.environment["HOME"] ?? "/",
        "PUSH_FUNCTIONS_PRODUCTS": BuiltExecutables.directory,
      ], timeout: .seconds(900))
  }

  /// The commands of its units run as a user without rights; systemd itself does not run there.
  @Test(
    .enabled(
      if: canTry && access(system, R_OK) == 0,
      "Not run: only root on Debian may install the package into a fresh system, and Tests/run makes one."))
  func thePackageServesAndPlaysTheDemo() async throws {
    let folder = try TemporaryDirectory()
    let inside = try folder.write(Self.inside, to: "inside")

    let outcome = try await bash(
      """
      \(House.root.path)/Runner/dist --skip-build --level 1 --out "$1/dist" >/dev/null
      mkdir "$1/root"
      tar -C "$1/root" --numeric-owner -xf '\(Self.system)'
      cp "$1"/dist/*.deb "$1/root/package.deb"
      cp "$2" "$1/root/inside"
      # Its own processes, mounts and ports, which end with it.
      unshare --mount --net --pid --fork --kill-child bash -euc '
        ip link set lo up
        mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" bash /inside' "$1/root"
      """, [folder.path, inside])

    #expect(outcome.exit == 0, "\(outcome.stdout)\(outcome.stderr)")
    #expect(outcome.stdout.contains("\nThe runner has ended: 0\n"), "\(outcome.stdout)")
    #expect(outcome.stdout.contains("\nThe demo has ended: 0\n"), "\(outcome.stdout)")
  }

  private static let inside = #"""
    set -euo pipefail
    export PATH=/usr/sbin:/usr/bin:/sbin:/bin
    dpkg -i /package.deb
    [[ $(dpkg-query -W -f '${Status}' push-functions) == 'install ok installed' && -z $(dpkg -V push-functions) ]]
    useradd --create-home service
    install -d -m 700 -o service /var/lib/push-functions /run/credentials
    pg_ctlcluster "$(ls /etc/postgresql)" main start
    runuser -u postgres -- createuser service
    runuser -u postgres -- createdb --owner service app
    echo 'postgres:///app?host=/var/run/postgresql&user=service' >/run/credentials/DATABASE_URL
    echo 0123456789abcdef-key >/run/credentials/RUNNER_KEY
    chown service /run/credentials/*

    # start UNIT: what systemd would do with its command, as its user.
    start() {
      local command
      command=$(sed -n 's/^ExecStart=//p' "/usr/lib/systemd/system/$1.service")
      cd /opt/push-functions
      # shellcheck disable=SC2086
      exec setpriv --reuid service --regid service --clear-groups --no-new-privs \
        env -i PATH=/usr/bin:/bin CREDENTIALS_DIRECTORY=/run/credentials RUNNER_PORT=0 $command
    }
    (start push-functions-migrate)
    # It exists before anybody reads it.
    : >/log
    start push-functions >>/log 2>&1 &
    runner=$!
    grep -m 1 '"message":"Serving"' < <(tail -n +1 -f --pid="$runner" /log) >/serving || { cat /log; exit 1; }
    port=$(grep -oE '127\.0\.0\.1:[0-9]+' /serving | head -n 1 | cut -d: -f2)
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'POST /functions/v1/echo HTTP/1.1\r\nHost: 127.0.0.1\r\napikey: 0123456789abcdef-key\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{"a":1}' >&3
    grep -q '200 OK' <&3
    kill "$runner"
    # The second signal ends the drain.
    kill "$runner"
    status=0
    wait "$runner" || status=$?
    echo "The runner has ended: $status"

    # With a database of its own, below the user's folder.
    cd /opt/push-functions
    cp -r functions.json Shared Tests /home/service/
    chown -R service /home/service
    cd /home/service
    status=0
    setpriv --reuid service --regid service --clear-groups --no-new-privs \
      env -i PATH=/opt/push-functions/bin:/usr/bin:/bin HOME=/home/service RUNNER_PORT=0 runner up --demo || status=$?
    echo "The demo has ended: $status"
    """#

  /// Debian's policy: an upgrade goes over to the new version, a removal stops it, and a purge leaves nothing of it.
  @Test(
    .enabled(
      if: canTry && access(system, R_OK) == 0,
      "Not run: only root on Debian may install the package into a fresh system, and Tests/run makes one."))
  func anUpgradeGoesOnARemovalStopsAndAPurgeLeavesNothing() async throws {
    let folder = try TemporaryDirectory()
    let systemctl = try folder.write(Self.systemctl, to: "systemctl", mode: 0o755)
    let inside = try folder.write(Self.upgrading, to: "inside")

    let outcome = try await bash(
      """
      \(House.root.path)/Runner/dist --skip-build --level 1 --out "$1/dist" >/dev/null
      mkdir -p "$1/root/run/systemd/system" "$1/root/run/units" "$1/earlier"
      tar -C "$1/root" --numeric-owner -xf '\(Self.system)'
      cp "$1"/dist/*.deb "$1/root/package.deb"
      cp "$2" "$1/root/usr/bin/systemctl"
      cp "$3" "$1/root/inside"
      # Packages had no such scripts once.
      dpkg-deb --raw-extract "$1/root/package.deb" "$1/earlier"
      rm "$1/earlier/DEBIAN"/{preinst,postinst,prerm,postrm}
      sed -i 's/^Version: .*/Version: 0.9/' "$1/earlier/DEBIAN/control"
      dpkg-deb --root-owner-group -Zzstd -z1 --build "$1/earlier" "$1/root/earlier.deb" >/dev/null
      # Its own processes, mounts and ports, which end with it.
      unshare --mount --net --pid --fork --kill-child bash -euc '
        ip link set lo up
        mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" bash /inside' "$1/root"
      """, [folder.path, systemctl, inside])

    #expect(outcome.exit == 0, "\(outcome.stdout)\(outcome.stderr)")
    let said = outcome.stdout.split(separator: "\n").filter { $0.hasPrefix("> ") }
    let stop = "stop push-functions.service push-functions-migrate.service"
    let start = "start push-functions-migrate.service, start push-functions.service"
    #expect(
      said == [
        "> upgraded: \(stop), \(start)",
        "> another process of the new program: yes", "> events: 20 of 20, each once",
        "> restarts forbidden: nothing asked, it serves", "> starting: \(stop), \(start)",
        "> not migrated: 1, install ok half-configured, stopped, 5 events wait",
        "> migrated: \(start)", "> events: 25 of 25, each once", "> stopped before: nothing asked",
        "> removed: \(stop)", "> it serves: no", "> its folder is there: yes", "> purged", "> left: ",
      ], "\(outcome.stdout)\(outcome.stderr)")
    #expect(outcome.stderr.contains("By policy-rc.d nothing is restarted: systemctl start"), "\(outcome.stderr)")
    #expect(outcome.stderr.contains("then: dpkg --configure push-functions\n"), "\(outcome.stderr)")
  }

  /// A `systemctl` for what the package's scripts and an administrator ask of systemd.
  ///
  /// It runs the commands of units as a user without rights; a start ends when the runner serves. `/calls` has all that
  /// was asked.
  private static let systemctl = #"""
    #!/bin/bash
    set -euo pipefail
    words=()
    for word in "$@"; do [[ $word == -* ]] || words+=("$word"); done
    echo "${words[*]}" >>/calls

    start() {
      local command
      command=$(sed -n 's/^ExecStart=//p' "/usr/lib/systemd/system/$unit.service")
      cd /opt/push-functions
      # shellcheck disable=SC2086
      set -- setpriv --reuid service --regid service --clear-groups --no-new-privs \
        env -i PATH=/usr/bin:/bin CREDENTIALS_DIRECTORY=/run/credentials RUNNER_PORT=0 $command
      if [[ $unit == *-migrate ]]; then
        "$@"
      else
        : >"$state.log"
        "$@" >>"$state.log" 2>&1 &
        echo $! >"$state"
        grep -q '"message":"Serving"' < <(tail -n +1 -f --pid=$! "$state.log") || { cat "$state.log" >&2 && exit 1; }
      fi
    }

    stop() {
      [[ -e $state ]] || return 0
      # The second signal ends the drain.
      kill "$(<"$state")"
      kill "$(<"$state")"
      tail --pid="$(<"$state")" -f /dev/null
      rm "$state"
    }

    for name in "${words[@]:1}"; do
      unit=${name%.service} state=/run/units/${name%.service}
      link=/etc/systemd/system/multi-user.target.wants/$unit.service
      case ${words[0]} in
        enable) mkdir -p "${link%/*}" && ln -s "/usr/lib/systemd/system/$unit.service" "$link" ;;
        is-enabled) [[ -L $link ]] && echo enabled ;;
        is-active) [[ -e $state ]] ;;
        show) if [[ -e $state ]]; then cat "$state.is" 2>/dev/null || echo active; else echo inactive; fi ;;
        start) [[ -e $state ]] || start ;;
        stop) stop ;;
        restart) stop && start ;;
      esac
    done
    """#

  private static let upgrading = #"""
    set -euo pipefail
    export PATH=/usr/sbin:/usr/bin:/sbin:/bin
    useradd --create-home service
    install -d -m 700 -o service /var/lib/push-functions /run/credentials
    install -d -m 700 /etc/push-functions/secrets /var/lib/private/push-functions
    pg_ctlcluster --skip-systemctl-redirect "$(ls /etc/postgresql)" main start
    runuser -u postgres -- createuser service
    runuser -u postgres -- createdb --owner service app
    echo 'postgres:///app?host=/var/run/postgresql&user=service' >/run/credentials/DATABASE_URL
    echo 0123456789abcdef-key >/run/credentials/RUNNER_KEY
    chown service /run/credentials/*
    # answers QUERY
    answers() { runuser -u postgres -- psql --no-psqlrc --quiet --no-align --tuples-only --dbname app -c "$1"; }
    # asked: what systemd was to do.
    asked() { grep -E '^(start|stop|restart) ' /calls | paste -sd, | sed 's/,/, /g'; }
    # handled COUNT: waits until so many events were.
    handled() {
      answers "DO \$\$ BEGIN
        FOR i IN 1..6000 LOOP
          IF (SELECT count(*) FROM runner.history WHERE function = 'echo' AND code = 'OK') >= $1 THEN RETURN; END IF;
          PERFORM pg_sleep(0.01);
        END LOOP;
        RAISE 'The events were not handled.';
      END \$\$"
      echo "> events: $(answers "SELECT count(*) || ' of ' || count(DISTINCT (partition, id))
        FROM runner.history WHERE function = 'echo' AND code = 'OK'"), each once"
    }

    dpkg -i /earlier.deb
    systemctl start push-functions-migrate
    systemctl start push-functions
    systemctl enable push-functions
    before=$(</run/units/push-functions)
    port=$(grep -m 1 '"message":"Serving"' /run/units/push-functions.log | grep -oE '127\.0\.0\.1:[0-9]+' | head -n 1)
    for ((i = 0; i < 20; i++)); do
      exec 3<>"/dev/tcp/127.0.0.1/${port#*:}"
      printf 'POST /functions/v1/echo HTTP/1.1\r\nHost: 127.0.0.1\r\napikey: 0123456789abcdef-key\r\n' >&3
      printf 'Prefer: respond-async\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{"a":1}' >&3
      grep -q ' 202 ' <&3
    done
    : >/calls

    dpkg -i /package.deb
    echo "> upgraded: $(asked)"
    now=$(</run/units/push-functions)
    [[ $now != "$before" && $(readlink "/proc/$now/exe") == /opt/push-functions/bin/runner ]] &&
      echo "> another process of the new program: yes"
    handled 20

    : >/calls
    printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
    chmod 755 /usr/sbin/policy-rc.d
    dpkg -i /package.deb
    rm /usr/sbin/policy-rc.d
    [[ -z $(asked) ]] && kill -0 "$now" && echo "> restarts forbidden: nothing asked, it serves"

    # As it is while the runner waits for its database, and between a failure and the next start.
    echo activating >/run/units/push-functions.is
    dpkg -i /package.deb
    rm /run/units/push-functions.is
    echo "> starting: $(asked)"

    now=$(</run/units/push-functions)
    cp -p /run/credentials/DATABASE_URL /run/credentials/kept
    sed -i 's,/app,/nothing,' /run/credentials/DATABASE_URL
    status=0
    dpkg -i /package.deb || status=$?
    for ((i = 0; i < 5; i++)); do answers "SELECT runner.enqueue('echo', NULL, 'waits-$i', 'test', 'test', '{}')"; done
    state=$(dpkg-query -W -f '${Status}' push-functions)
    kill -0 "$now" 2>/dev/null || echo "> not migrated: $status, $state, stopped," \
      "$(answers "SELECT count(*) FROM runner.events WHERE event_id LIKE 'waits-%'") events wait"
    mv /run/credentials/kept /run/credentials/DATABASE_URL
    : >/calls
    dpkg --configure push-functions
    echo "> migrated: $(asked)"
    handled 25

    systemctl stop push-functions
    : >/calls
    dpkg -i /package.deb
    [[ -z $(asked) ]] && echo "> stopped before: nothing asked"
    systemctl start push-functions
    now=$(</run/units/push-functions)
    : >/calls

    dpkg --remove push-functions
    echo "> removed: $(asked)"
    ! kill -0 "$now" 2>/dev/null && echo "> it serves: no"
    [[ -d /var/lib/push-functions && -L /etc/systemd/system/multi-user.target.wants/push-functions.service ]] &&
      echo "> its folder is there: yes"
    dpkg --purge push-functions
    echo "> purged"
    echo "> left: $(find / -xdev -name '*push-functions*' -not -path '/run/*' | paste -sd' ')"
    """#

  @Test(
    .enabled(
      if: canTry && ["umoci", "skopeo", "tini"].allSatisfy { access("/usr/bin/\($0)", X_OK) == 0 },
      "Not run: only root on Debian with umoci, skopeo and tini starts the image; Tests/run installs them."))
  func theImageIsTheSameEachTimeAndHandlesAnEvent() async throws {
    let folder = try TemporaryDirectory()
    let database = try DatabaseLink(to: try await TemporaryPostgres.database())
    let inside = try folder.write(Self.insideImage, to: "inside")

    let outcome = try await bash(
      """
      export SOURCE_DATE_EPOCH=1750000000
      for out in one two; do \(House.root.path)/Runner/image --skip-build --level 1 --out "$1/$out" >/dev/null; done
      diff -r "$1/one/image" "$1/two/image"
      skopeo inspect --config "oci:$1/one/image:latest"
      echo "manifest $(skopeo inspect --raw "oci:$1/one/image:latest")"
      skopeo copy --quiet "oci:$1/one/image:latest" "dir:$1/copy"
      umoci raw unpack --image "$1/one/image:latest" "$1/root" 2>/dev/null
      stat -c 'state %u:%g' "$1/root/var/lib/push-functions"
      # Its own processes, mounts and ports, which end with it.
      unshare --mount --pid --fork --kill-child bash -euo pipefail "$2" \
        "$1/root" \(House.root.path)/Tests/Events/vote-cast.json "$3" "$1/log"
      [[ ! -e $1/root/bin/sh && -s $1/root/etc/ssl/certs/ca-certificates.crt ]] && echo "no shell"
      """, [folder.path, inside, database.linkedURL])

    #expect(outcome.exit == 0, "\(outcome.stdout)\(outcome.stderr)")
    let text = outcome.stdout
    #expect(text.contains(#""User": "65532:65532""#) && text.contains("2025-06-15T15:06:40Z"), "\(text)")
    #expect(text.contains(#""RUNNER_STATE_DIR=/var/lib/push-functions""#), "\(text)")
    #expect(text.contains("state 65532:65532\n") && text.contains("functions.json is valid"), "\(text)")
    #expect(text.contains(#""data":{"a":1}}"#) && text.contains("no shell\n"), "\(text)")
    #expect(text.contains("vote-cast has ended: 75\n"), "\(text)\(outcome.stderr)")
    let words = [
      "/opt/push-functions/bin/runner", "serve", "--project", "/opt/push-functions", "--state-dir",
      "/var/lib/push-functions", "--host", "0.0.0.0", "--make-key",
    ]
    let command = words.map { #""\#($0)""# }.joined(separator: ",")
    #expect(text.filter { !$0.isWhitespace }.contains(#""Cmd":[\#(command)]"#), "\(text)")
    #expect(text.contains("The runner has ended: 0\n"), "\(text)\(outcome.stderr)")
    #expect(text.contains("Without a database it ends: 78\n"), "\(text)\(outcome.stderr)")
    #expect(outcome.stderr.contains("DATABASE_URL is not set"), "\(outcome.stderr)")
    #expect(text.contains(/\nrunner [0-9.]+ \([0-9a-f]{12}\+?\)\n/), "\(text)")
    try expectAnnotations(of: text)
  }

  private func expectAnnotations(of text: String) throws {
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("manifest ") })
    let annotations = try RawJSON(validating: Array(line.dropFirst("manifest ".count).utf8)[...])["annotations"]
    func document(_ name: String) throws -> RawJSON {
      try RawJSON(validating: Array(try #require(annotations?[name]?.stringValue).utf8)[...])
    }

    let bill = try document("https://cyclonedx.org/bom")
    let names = bill["components"]?.elements?.compactMap { $0["name"]?.stringValue } ?? []
    #expect(Set(names).isSuperset(of: ["swift", "libstdc++", "libc6", "libcurl4", "libpq5", "tini", "base-files"]))
    let definition = try document("https://slsa.dev/provenance/v1")["buildDefinition"]
    let commit = definition?["resolvedDependencies"]?.elements?.first?["digest"]?["gitCommit"]?.stringValue
    let revision = annotations?["org.opencontainers.image.revision"]?.stringValue
    #expect(commit?.count == 40 && revision?.prefix(40) == commit?[...], "\(line)")
    #expect(annotations?["org.opencontainers.image.created"]?.stringValue == "2025-06-15T15:06:40Z")
  }

  /// Everything that is done in the image: its words are the root, an event, the database's URL, and a log.
  private static let insideImage = #"""
    root=$1 event=$2 url=$3 log=$4
    # As every container has them.
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev"
    home=/opt/push-functions
    within() { chroot --userspec 65532:65532 "$root" /usr/bin/tini -s -g -- "$@"; }
    within $home/bin/runner --version
    within $home/bin/runner validate --project $home
    echo '{"a":1}' | within $home/bin/echo
    # It finds libpq, and no server.
    status=0
    DATABASE_URL=postgres://127.0.0.1:1/nothing within $home/bin/vote-cast <"$event" || status=$?
    echo "vote-cast has ended: $status"
    serve() {
      exec chroot --userspec 65532:65532 "$root" /usr/bin/tini -s -g -- $home/bin/runner serve --project $home \
        --state-dir /var/lib/push-functions --host 0.0.0.0 --make-key
    }
    status=0
    (serve) >/dev/null || status=$?
    echo "Without a database it ends: $status"

    export DATABASE_URL=$url RUNNER_PORT=0
    within $home/bin/runner migrate --project $home
    # It exists before anybody reads it.
    : >"$log"
    serve >>"$log" 2>&1 &
    runner=$!
    # field NAME PATTERN: what follows NAME in the log's first line with the pattern.
    field() {
      local line
      line=$(grep -m 1 "$2" < <(tail -n +1 -f --pid="$runner" "$log")) || { cat "$log" >&2; exit 1; }
      sed -E "s/.*\"$1\":\"([^\"]*)\".*/\1/" <<<"$line"
    }
    address=$(field url '"message":"Serving"')
    key=$(field key 'RUNNER_KEY is not set')
    exec 3<>"/dev/tcp/127.0.0.1/${address##*:}"
    printf 'POST /functions/v1/echo HTTP/1.1\r\nHost: 127.0.0.1\r\napikey: %s\r\nPrefer: respond-async\r\n' "$key" >&3
    printf 'Content-Length: 7\r\nConnection: close\r\n\r\n{"a":1}' >&3
    grep -q ' 202 ' <&3
    psql --no-psqlrc --quiet --dbname "$url" <<'SQL'
    DO $$ BEGIN
      FOR i IN 1..6000 LOOP
        IF EXISTS (SELECT FROM runner.history WHERE function = 'echo' AND code = 'OK') THEN RETURN; END IF;
        PERFORM pg_sleep(0.01);
      END LOOP;
      RAISE 'The event was not handled.';
    END $$;
    SQL
    kill "$runner"
    status=0
    wait "$runner" || status=$?
    echo "The runner has ended: $status"
    """#
}
