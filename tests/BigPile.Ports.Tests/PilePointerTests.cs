using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using BigPile.Ports.Tests.Samples;

namespace BigPile.Ports.Tests;

/// <summary>A shared pile and ports together: pointers go from process to process, and the objects stay where they are.</summary>
public sealed class PilePointerTests : IDisposable
{
    private const int Count = 120;

    private readonly ArenaDirectory _directory = new();

    private string PilePath => Parcels.PathIn(_directory.Path);

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Another_process_gets_objects_by_pointers_that_it_is_sent_and_is_told_what_was_deleted()
    {
        using SharedArena arena = _directory.Open();
        using Pile pile = Parcels.OpenWriter(PilePath);
        pile.Put("the reader opens it with something in it");
        using Process child = Child.Start("ask-for-parcels", _directory.Path);
        var pointers = new PilePointer[Count];
        using (SendPort port = arena.OpenSendPort(Parcels.PointersPort))
        {
            for (int i = 0; i < Count; i++)
                PilePorts.Send(arena, port, pointers[i] = pile.Put(Parcels.Of(i))); // types and segments come while the other one reads
            AssertSays(child, Enumerable.Range(0, Count).Select(Parcels.Of));

            for (int i = 0; i < Count; i += 2)
                pile.Delete(pointers[i]);
            for (int i = 1; i < Count; i += 4)
                pile.Replace(pointers[i], Parcels.Of(i + 1_000));
            PilePorts.Send(arena, port, pointers); // many in one message
            AssertSays(child, Enumerable.Range(0, Count)
                .Select(static i => i % 2 == 0 ? null : i % 4 == 1 ? Parcels.Of(i + 1_000) : Parcels.Of(i)));

            PilePointer[] again = [.. Enumerable.Range(0, Count / 2).Select(i => pile.Put(Parcels.Of(i * 2 + 1)))]; // in the deleted places
            PilePorts.Send(arena, port, [.. pointers.Where(static (_, i) => i % 2 == 0), .. again]);
            AssertSays(child, Enumerable.Repeat<object?>(null, Count / 2)
                .Concat(Enumerable.Range(0, Count / 2).Select(static i => Parcels.Of(i * 2 + 1))));
        }
        Assert.Equal("end", child.StandardOutput.ReadLine());
        Assert.True(child.WaitForExit(Eventually.Timeout));
        Assert.Equal(0, child.ExitCode);
    }

    /// <summary>What a killed process had put stays, also for those who read; and the next writer goes on with it.</summary>
    [Fact]
    public void Writers_are_killed_and_the_reader_keeps_what_it_was_sent()
    {
        using SharedArena arena = _directory.Open();
        Parcels.OpenWriter(PilePath).Dispose();
        using Pile reader = Parcels.OpenReader(PilePath);
        using ReceivePort port = arena.OpenReceivePort(Parcels.PointersPort);
        var known = new List<(PilePointer Pointer, int Number)>();
        for (int life = 0; life < TestLeg.Steps(3, 50); life++)
        {
            using Process child = Child.Start("make-parcels", _directory.Path, $"{known.Count}");
            try
            {
                Assert.Equal(Parcels.Sends, child.StandardOutput.ReadLine());
                Receive(port, reader, known, 40);
            }
            finally
            {
                child.Kill();
                child.WaitForExit();
            }
            Assert.All(known, one => Assert.Equal(Parcels.Describe(Parcels.Of(one.Number)), Parcels.Describe(reader.Get(one.Pointer))));
            Receive(port, reader, known, int.MaxValue);
        }
        using Pile last = Parcels.OpenWriter(PilePath);
        Assert.Subset(last.Select(static entry => entry.Pointer).ToHashSet(), known.Select(static one => one.Pointer).ToHashSet());
        Assert.True(last.Verify().IsSound);
    }

    [Fact]
    public void A_second_process_that_wants_to_write_is_refused()
    {
        using SharedArena arena = _directory.Open();
        using Pile pile = Parcels.OpenWriter(PilePath);
        (int exitCode, _) = Child.Run("make-parcels", _directory.Path, "0");
        Assert.NotEqual(0, exitCode);
        Assert.Empty(pile);
    }

    [Fact]
    public void The_readme_shows_the_sample_that_is_compiled_here()
    {
        string readme = File.ReadAllText(Path.Combine(SourceTree.Root, "src/BigPile/README.md"));
        string[] lines = File.ReadAllLines(Path.Combine(SourceTree.Root, "tests/BigPile.Ports.Tests/Samples/PilePorts.cs"));
        int from = Array.FindIndex(lines, static line => line.Trim() == "// README: pointers through ports") + 1;
        int to = Array.FindIndex(lines, static line => line.Trim() == "// README: end of pointers through ports");
        string quoted = string.Join('\n', lines[from..to].Select(static line => line.Length > 0 ? line[4..] : line));
        Assert.Contains(quoted, readme, StringComparison.Ordinal);
    }

    // Until there are so many more, or the killed sender's rest is received.
    private static void Receive(ReceivePort port, Pile reader, List<(PilePointer Pointer, int Number)> known, int most)
    {
        try
        {
            for (int count = 0; count < most; count++)
            {
                using SharedObject message = port.Receive()!;
                var pointer = PilePointer.FromUInt64(BitConverter.ToUInt64(message.Bytes));
                Assert.Equal(Parcels.Describe(Parcels.Of(known.Count)), Parcels.Describe(reader.Get(pointer)));
                known.Add((pointer, known.Count));
            }
        }
        catch (PeerLostException) when (most == int.MaxValue)
        {
            // it was killed, and the rest is here
        }
    }

    private static void AssertSays(Process child, IEnumerable<object?> things)
    {
        foreach (object? thing in things)
            Assert.Equal(Parcels.Describe(thing), child.StandardOutput.ReadLine());
    }
}
