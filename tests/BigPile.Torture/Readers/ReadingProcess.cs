using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Access;

namespace BigPile.Torture.Readers;

/// <summary>A process that reads only, as fast as it can, and looks whether each value is whole.</summary>
internal sealed unsafe class ReadingProcess
{
    private const int ReadsPerRound = 1 << 16;
    private const int RoundsPerWalk = 32;
    private const int LargestBytes = 1 << 20;
    private const int MostReported = 5;

    private readonly Board _board;
    private readonly Pile _pile;
    private readonly ReaderRecord* _record;
    private readonly int _number;
    private readonly byte[] _buffer = GC.AllocateArray<byte>(LargestBytes, pinned: true);
    private readonly int[] _versions = new int[Board.Objects];
    private readonly Dice _dice;
    private int _reported;

    private ReadingProcess(Board board, Pile pile, ulong seed, int number)
    {
        _board = board;
        _pile = pile;
        _record = board.RecordAt(number);
        _number = number;
        _dice = new Dice(seed);
        Array.Fill(_versions, -1);
    }

    internal static int Run(Board board, string directory, ulong seed, int number)
    {
        using Pile pile = Pile.Open(Board.PilePathIn(directory), board.Options with { ReadOnly = true });
        var process = new ReadingProcess(board, pile, seed, number);
        for (int round = 1; !board.IsOver; round++)
        {
            process.ReadRound();
            if (round % RoundsPerWalk == 0)
                process.Walk();
        }
        return 0;
    }

    private void ReadRound()
    {
        for (int i = 0; i < ReadsPerRound; i++)
        {
            int index = HotObjects.Choose(_dice, Board.Objects);
            PilePointer pointer = _board.PointerOf(index);
            try
            {
                ReadOne(index, pointer);
            }
            catch (PileException e)
            {
                Report(e, index, pointer);
            }
        }
        _record->Reads += ReadsPerRound;
    }

    private void ReadOne(int index, PilePointer pointer)
    {
        var reader = new SpanReader(_buffer);
        if (!_pile.Reader.TryRead(pointer, ref reader))
        {
            if (_board.PointerOf(index) == pointer)
                Show(ref _record->Refused, $"object {index} at {pointer} was not found");
            else
                _record->Gone++;
            return;
        }
        ReadOnlySpan<byte> value = _buffer.AsSpan(0, (int)Math.Min(reader.LengthBytes, LargestBytes));
        if (!CodeWord.IsWhole(value) || CodeWord.IndexOf(value) != index)
        {
            Show(ref _record->Mixtures, $"object {index} at {pointer} is a mixture of {value.Length:N0} bytes");
            return;
        }
        int version = CodeWord.VersionOf(value);
        if (_versions[index] >= 0 && CodeWord.IsOlder(version, _versions[index]))
            Show(ref _record->Mixtures, $"object {index} at {pointer} went back from version {_versions[index]} to {version}");
        _versions[index] = version;
    }

    // An object that keeps its pointer through a walk comes exactly once, and the entries of tables are whole like everything else.
    private void Walk()
    {
        var before = new ulong[Board.Objects];
        var after = new ulong[Board.Objects];
        var found = new Dictionary<ulong, int>();
        _board.CopyPointers(before);
        Volatile.ReadBarrier();
        try
        {
            foreach (PileEntry entry in _pile)
            {
                ulong pointer = entry.Pointer.ToUInt64();
                found[pointer] = found.GetValueOrDefault(pointer) + 1;
                if (entry.Kind == PayloadKind.TableEntry)
                    ReadEntry(entry.Pointer);
            }
        }
        catch (PileException e)
        {
            Report(e, -1, default);
            return;
        }
        Volatile.ReadBarrier();
        _board.CopyPointers(after);
        for (int i = 0; i < before.Length; i++)
        {
            if (before[i] == after[i] && found.GetValueOrDefault(before[i]) != 1)
                Show(ref _record->Refused, $"object {i} at {before[i]:x} came {found.GetValueOrDefault(before[i])} times in a walk");
        }
        _record->Walks++;
    }

    private void ReadEntry(PilePointer pointer)
    {
        var reader = new SpanReader(_buffer);
        if (!_pile.Reader.TryRead(pointer, ref reader))
            return;
        _record->Entries++;
        if (!CodeWord.IsWhole(_buffer.AsSpan((int)reader.LengthBytes - WritingProcess.EntryValueBytes, WritingProcess.EntryValueBytes)))
            Show(ref _record->Mixtures, $"the table entry at {pointer} is a mixture");
    }

    private void Report(PileException e, int index, PilePointer pointer)
    {
        if (e is PileBusyException)
            _record->Busy++;
        else
            Show(ref _record->Refused, $"object {index} at {pointer}: {e.Message}");
    }

    private void Show(ref long count, string what)
    {
        count++;
        if (_reported++ < MostReported)
            Console.WriteLine($"  reader {_number}: {what}");
    }
}
