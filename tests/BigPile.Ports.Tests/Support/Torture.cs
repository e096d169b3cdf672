using System;
using System.Diagnostics;
using System.Linq;
using System.Threading;

namespace BigPile.Ports.Tests;

/// <summary>Senders and receivers in processes that die, and others in their place.</summary>
internal sealed class Torture(string path, (string Role, string Port)[] roles, int seed, string mutation, int killOneIn) : IDisposable
{
    /// <summary>Two ports with a sender and a receiver each.</summary>
    internal static readonly (string Role, string Port)[] OneToOne =
        [("send", "waits"), ("receive", "waits"), ("send", "drops"), ("receive", "drops")];

    /// <summary>Two multicast ports with a sender each, and receivers that listen at both.</summary>
    internal static readonly (string Role, string Port)[] OneToMany =
    [
        ("send-all", "waits"), ("send-all", "drops"),
        ("receive-both", "waits,drops"), ("receive-both", "waits,drops"), ("receive-both", "waits,drops"),
    ];

    private readonly Random _random = new(seed);
    private readonly Process?[] _running = new Process?[roles.Length];
    private int _started;

    internal int Kills { get; private set; }

    internal int OwnKills { get; private set; }

    /// <summary>How many messages receivers have checked, about.</summary>
    internal long Messages { get; private set; }

    /// <summary>What a process said was wrong, if one did.</summary>
    internal string? Fault { get; private set; }

    /// <summary>Goes on until so many have died, some of them between two stores, or something was wrong, or the time is over.</summary>
    internal void Run(int kills, TimeSpan most)
    {
        var hooks = Stopwatch.StartNew();
        while ((Kills + OwnKills < kills || OwnKills == 0 || Messages == 0) && Fault == null && hooks.Elapsed < most)
        {
            for (int role = 0; role < roles.Length; role++)
                Replace(role);
            bool isKill = kills != int.MaxValue;
            Pause(_random.Next(200));
            int victim = _random.Next(roles.Length);
            if (!isKill || _running[victim] is not { HasExited: false } process)
                continue;
            process.Kill();
            process.WaitForExit();
            Kills++;
            Drop(victim, out _);
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
            Drop(role, out _);
        }
    }

    private void Replace(int role)
    {
        if (_running[role] is { HasExited: true })
        {
            string said = Drop(role, out int exitCode);
            if (exitCode == (OperatingSystem.IsWindows() ? -1 : 137))
                OwnKills++;
            else
                Fault = $"{roles[role]} ended with {exitCode}: {said}";
        }
        if (_running[role] != null || Fault != null)
            return;
        int number = ++_started;
        _running[role] = Child.Start(
            roles[role].Role, path, roles[role].Port, number.ToString(), _random.Next().ToString(), mutation,
            killOneIn.ToString());
    }

    private string Drop(int role, out int exitCode)
    {
        using Process ended = _running[role]!;
        string said = ended.StandardOutput.ReadToEnd();
        Messages += said.Count(static letter => letter == Workers.CountedLine) * Workers.CountedMessages;
        exitCode = ended.ExitCode;
        _running[role] = null;
        return said.Replace($"{Workers.CountedLine}{Environment.NewLine}", "") + ended.StandardError.ReadToEnd();
    }

    private static void Pause(int milliseconds)
    {
        using var never = new ManualResetEventSlim();
        never.Wait(milliseconds);
    }
}
