using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Checking;
using BigPile.Files;
using BigPile.Torture.Hash;
using BigPile.Torture.Journals;
using BigPile.Torture.Tables;

namespace BigPile.Torture;

/// <summary>The parent: starts a child, kills it at a random instant, has the pile compared, and goes on with the same pile.</summary>
/// <remarks>
/// <para>
/// After a kill either a process that does nothing else compares everything with the journal, or (by the seed) the next child goes on at
/// once with what it finds, and is killed in turn. The comparison has a process of its own because a wrong pile may take down whoever
/// opens it.
/// </para>
/// <para>
/// Each control makes the libraries take one wrong order of stores, and must end with something lost or wrong. The rule "raise the
/// high-water mark before the first page above it is stated" has no control: the format has no such mark. A segment's file has its whole
/// length from the start, and the words of all its pages are in its head; zero is a page that was never used.
/// </para>
/// </remarks>
internal sealed unsafe class TortureRun
{
    private const int ChildTimeoutMs = 300_000;
    private const int LongestChain = 5;

    // Versions are reserved a second ahead, which a kill leaves unused: kills that follow one another faster drive them ahead of the clock.
    private static readonly TimeSpan BetweenKills = TimeSpan.FromSeconds(1.5);

    private readonly TortureOptions _options;
    private readonly string _directory;
    private readonly Journal _journal;
    private readonly Dice _dice;
    private readonly int[] _killedIn = new int[HashCrashPoints.End];
    private readonly FeedFolds? _feeds; // of tables
    private int _chain;

    private TortureRun(TortureOptions options, string directory)
    {
        _options = options;
        _directory = directory;
        _journal = Journal.Create(ChildProcess.JournalPath(directory), options.Threads);
        _journal.Head->IsShared = options.IsShared;
        _dice = new Dice(options.Seed);
        if (options.Target == TortureOptions.TableTarget)
            _feeds = new FeedFolds(directory, _journal);
    }

    private static string DefaultDirectory =>
        Path.Combine(Path.GetTempPath(), string.Create(CultureInfo.InvariantCulture, $"bigpile-torture-{Environment.ProcessId}"));

    internal static int Run(TortureOptions options)
    {
        string directory = Path.GetFullPath(options.Directory ?? DefaultDirectory);
        Directory.CreateDirectory(directory);
        Say($"seed {options.Seed}, target {options.Target}, threads {options.Threads}, pauses {(options.Pauses ? "on" : "off")}, "
            + $"other boots {(options.HasOtherBoots ? "on" : "off")}, shared {(options.IsShared ? "on" : "off")}, "
            + $"window {(options.Point.Length == 0 ? "any" : options.Point)}, "
            + $"control {(options.ControlName.Length == 0 ? "none" : options.ControlName)}, "
            + (options.Target == TortureOptions.HashTarget ? $"file {(options.FileKind.Length == 0 ? "any" : options.FileKind)}, " : "")
            + $"directory {directory}");
        bool isSound = new TortureRun(options, directory).RunKills();
        if (isSound)
            CleanUp(directory, options.Directory == null);
        return isSound ? 0 : 1;
    }

    private static void CleanUp(string directory, bool isOwn)
    {
        File.Delete(ChildProcess.JournalPath(directory));
        File.Delete(FeedLog.PathOf(directory));
        Directory.Delete(ChildProcess.PilePath(directory), recursive: true);
        if (isOwn)
            Directory.Delete(directory);
    }

    // A control has done its part with the first thing that is found.
    private bool IsCaught => _options.ControlName.Length != 0 && _journal.Head->Lost + _journal.Head->Wrong + _journal.Head->Leaked != 0;

    private bool RunKills()
    {
        using (_journal)
        {
            int kills = 0;
            while (kills < _options.Kills && !IsCaught)
                RunRound(++kills);
            JournalHead head = *_journal.Head;
            Say($"compared {head.Compared:N0}; of what was in flight {head.FoundWhole:N0} whole, {head.FoundAbsent:N0} absent or old");
            IEnumerable<int> points = Enumerable.Range(1, _killedIn.Length - 1).Where(point => _killedIn[point] != 0);
            IEnumerable<string> inside = points.Select(point => $"{HashCrashPoints.NameOf((CrashPoint)point)} {_killedIn[point]}");
            Say("killed inside: " + string.Join(", ", inside));
            if (_options.HasOtherBoots)
                Say($"opened under another start of the machine {head.OtherBoots:N0} times; undone by that {head.Undone:N0}");
            if (_feeds != null)
                Say(_feeds.ToString());
            Say($"kills {kills}, operations {_journal.Operations()}, lost {head.Lost}, wrong {head.Wrong}, leaked {head.Leaked}");
            return head.Lost + head.Wrong + head.Leaked == 0;
        }
    }

    private void RunRound(int round)
    {
        ulong seed = (ulong)_dice.Next(int.MaxValue) + 1;
        BeginChain();
        bool inOpening = _chain > 0;
        var plan = new KillPlan(inOpening, _options.Pauses, TargetCrashPoints.Choose(_options, inOpening, _dice), _dice);
        long before = _journal.Operations();
        _journal.Head->Time += BetweenKills.Ticks;
        bool wasKilled = KillChild(seed, plan);
        if (!wasKilled)
            _journal.Head->Wrong++;
        bool goesOn = wasKilled && round != _options.Kills && (--_chain > 0 || _dice.OneIn(2));
        BeginOtherBoot(wasKilled);
        Say($"round {round}: seed {seed}, {(wasKilled ? "killed" : "NOT KILLED")} {plan}, "
            + $"{_journal.Operations() - before:N0} operations{CountCrashPoints()}, {(goesOn ? "the next child goes on" : "compared")}");
        if (!goesOn)
            Verify(seed);
    }

    // Now and then each opening is killed in turn, so that a recovery meets what others have left.
    private void BeginChain()
    {
        if (_chain <= 0)
            _chain = _dice.OneIn(8) ? 1 + _dice.Next(LongestChain) : 0;
    }

    private void BeginOtherBoot(bool wasKilled)
    {
        if (!_options.HasOtherBoots || !wasKilled || !_dice.OneIn(3))
            return;
        _journal.Head->Boot++;
        _journal.Head->IsOtherBoot = true;
        _journal.Head->OtherBoots++;
    }

    private bool KillChild(ulong seed, KillPlan plan)
    {
        _journal.Head->Phase = 0;
        for (int i = 0; i < _journal.Threads; i++)
            _journal.ThreadAt(i)->Point = 0;
        using Process child = Start(ChildProcess.WorkVerb, seed, plan.Point);
        bool isReady = WaitForPhase(child, plan.InOpening ? 1 : 2);
        bool ended = plan.Wait(child, _journal);
        child.Kill();
        child.WaitForExit();
        _feeds?.EndChild();
        if (ended)
            Say($"  WRONG: a child ended by itself with exit code {child.ExitCode}");
        else if (!isReady)
            Say($"  WRONG: a child did not come so far within {ChildTimeoutMs / 1000} s");
        return isReady && !ended;
    }

    private bool WaitForPhase(Process child, int phase)
    {
        long giveUp = Environment.TickCount64 + ChildTimeoutMs;
        while (Volatile.Read(ref _journal.Head->Phase) < phase && !child.HasExited && Environment.TickCount64 < giveUp)
            child.WaitForExit(1);
        return Volatile.Read(ref _journal.Head->Phase) >= phase;
    }

    private void Verify(ulong seed)
    {
        using Process child = Start(ChildProcess.VerifyVerb, seed, CrashPoint.None);
        bool ended = child.WaitForExit(ChildTimeoutMs);
        if (!ended)
        {
            child.Kill();
            child.WaitForExit();
        }
        _feeds?.EndChild();
        if (child.ExitCode == 0)
            return;
        Say($"  WRONG: the comparison ended with exit code {child.ExitCode}; the pile can't be used, and a new one is begun");
        _journal.Head->Wrong++;
        Directory.Delete(ChildProcess.PilePath(_directory), recursive: true);
        _journal.ForgetPile();
        _feeds?.Forget();
    }

    private Process Start(string verb, ulong seed, CrashPoint point)
    {
        _feeds?.BeginChild();
        string program = Environment.ProcessPath!;
        var start = new ProcessStartInfo(program) { RedirectStandardInput = true };
        if (Path.GetFileNameWithoutExtension(program) == "dotnet")
            start.ArgumentList.Add(typeof(TortureRun).Assembly.Location);
        foreach (string argument in new ChildOptions(_directory, TargetOf(seed), seed, _options.Codec).ToArguments(verb))
            start.ArgumentList.Add(argument);
        start.Environment["DOTNET_EnableDiagnostics"] = "0"; // what is killed would leave its sockets behind
        start.Environment[Pauses.MutationVariable] = _options.ControlName;
        bool pauses = _options.Pauses && verb == ChildProcess.WorkVerb;
        start.Environment[Pauses.SeedVariable] = pauses ? seed.ToString(CultureInfo.InvariantCulture) : "0";
        start.Environment[Pauses.FavouredVariable] = point.ToString();
        return Process.Start(start)!;
    }

    // Any kind opens what another one left.
    private string TargetOf(ulong seed)
    {
        if (_options.Target != TortureOptions.HashTarget)
            return _options.Target;
        string kind = _options.FileKind.Length != 0
            ? _options.FileKind
            : BlockFile.NameOf(BlockFile.Kinds[(int)(seed / 3 % (ulong)BlockFile.Kinds.Length)]);
        return $"{TortureOptions.HashTarget}:{kind}";
    }

    private string CountCrashPoints()
    {
        string text = "";
        for (int i = 0; i < _journal.Threads; i++)
        {
            var point = (CrashPoint)_journal.ThreadAt(i)->Point;
            if (point <= CrashPoint.None || (int)point >= HashCrashPoints.End)
                continue;
            _killedIn[(int)point]++;
            text += (text.Length == 0 ? ", inside " : " and ") + HashCrashPoints.NameOf(point);
        }
        return text;
    }

    private static void Say(string text) => Console.WriteLine(text);
}
