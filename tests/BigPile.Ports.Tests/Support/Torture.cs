using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Ports.Checking;

namespace BigPile.Ports.Tests;

/// <summary>Senders and receivers in processes that die, and others in their place.</summary>
internal sealed class Torture(string path, int seed, Twin twin, int killOneIn) : IDisposable
{
    private static readonly (string Role, string Port)[] Roles =
        [("send", "waits"), ("receive", "waits"), ("send", "drops"), ("receive", "drops")];

    private readonly Random _random = new(seed);
    private readonly Process?[] _running = new Process?[Roles.Length];
    private int _started;

    internal int Kills { get; private set; }

    internal int OwnKills { get; private set; }

    /// <summary>What a process said was wrong, if one did.</summary>
    internal string? Fault { get; private set; }

    /// <summary>Goes on until so many have died, or something was wrong, or the time is over.</summary>
    internal void Run(int kills, TimeSpan most)
    {
        var watch = Stopwatch.StartNew();
        while (Kills + OwnKills < kills && Fault == null && watch.Elapsed < most)
        {
            for (int role = 0; role < Roles.Length; role++)
                Replace(role);
            bool isKill = kills != int.MaxValue;
            Pause(_random.Next(isKill ? 60 : 200));
            int victim = _random.Next(Roles.Length);
            if (!isKill || _running[victim] is not { HasExited: false } process)
                continue;
            process.Kill();
            process.WaitForExit();
            Kills++;
            Drop(victim);
        }
    }

    public void Dispose()
    {
        for (int role = 0; role < _running.Length; role++)
        {
            if (_running[role] is not { } process)
                continue;
            process.Kill();
            process.WaitForExit();
            Drop(role);
        }
    }

    private void Replace(int role)
    {
        if (_running[role] is { HasExited: true } ended)
        {
            string said = ended.StandardOutput.ReadToEnd() + ended.StandardError.ReadToEnd();
            if (ended.ExitCode == 137)
                OwnKills++;
            else
                Fault = $"{Roles[role]} ended with {ended.ExitCode}: {said}";
            Drop(role);
        }
        if (_running[role] != null || Fault != null)
            return;
        int number = ++_started;
        _running[role] = Child.Start(
            Roles[role].Role, path, Roles[role].Port, number.ToString(), _random.Next().ToString(), twin.ToString(), killOneIn.ToString());
    }

    private void Drop(int role)
    {
        _running[role]!.Dispose();
        _running[role] = null;
    }

    private static void Pause(int milliseconds)
    {
        using var never = new ManualResetEventSlim();
        never.Wait(milliseconds);
    }
}
