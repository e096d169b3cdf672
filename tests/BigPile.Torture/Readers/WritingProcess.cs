using System;
using System.Globalization;
using System.Threading;
using BigPile.Caching;

namespace BigPile.Torture.Readers;

/// <summary>
/// The process that writes: every kind of change that moves, replaces or frees a block, until it is killed or told to end.
/// </summary>
internal sealed unsafe class WritingProcess
{
    /// <summary>The length of the values in the table.</summary>
    internal const int EntryValueBytes = 64;

    private const long SegmentBytes = 4 << 20;
    private const int LargestBytes = 200_000;
    private const int LargestWriteBytes = 60_000; // a longer part may be cut by a kill
    private const int Keys = 200;

    private static readonly int[] Lengths = [8, 16, 24, 24, 32, 40, 56, 64, 96, 120, 120, 248, 504, 1_000, 2_048];

    private readonly Board _board;
    private readonly Pile _pile;
    private readonly CacheTable<string, byte[]>? _table;
    private readonly Dice _dice;
    private readonly int _thread;
    private readonly int _threads;
    private readonly int[] _versions = new int[Board.Objects];
    private readonly int[] _lengths = new int[Board.Objects];
    private readonly byte[] _value = new byte[LargestBytes];

    private WritingProcess(Board board, Pile pile, CacheTable<string, byte[]>? table, ulong seed, int thread, int threads)
    {
        _board = board;
        _pile = pile;
        _table = table;
        _dice = new Dice(seed);
        _thread = thread;
        _threads = threads;
    }

    internal static int Run(Board board, string directory, ulong seed, int threads)
    {
        using Pile pile = Pile.Open(Board.PilePathIn(directory), board.Options with { SegmentBytes = SegmentBytes });
        using var cache = new PileCache(pile, new PileCacheOptions { WaitsUntilReady = true });
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("torture");
        var writers = new WritingProcess[threads];
        for (int i = 0; i < threads; i++)
            (writers[i] = new WritingProcess(board, pile, i == 0 ? table : null, seed + (ulong)i * 7919, i, threads)).TakeOver();
        Volatile.Write(ref board.Head->IsReady, board.Head->IsReady + 1);
        var running = new Thread[threads];
        for (int i = 0; i < threads; i++)
        {
            running[i] = new Thread(writers[i].Work);
            running[i].Start();
        }
        foreach (Thread thread in running)
            thread.Join();
        return 0;
    }

    // After a kill the objects are as the pile has them; at the first time there are none.
    private void TakeOver()
    {
        for (int i = _thread; i < Board.Objects; i += _threads)
        {
            if (!_board.PointerOf(i).IsValid)
            {
                _board.SetPointer(i, _pile.Put(NextValue(i, Lengths[i % Lengths.Length])));
                continue;
            }
            _ = _pile.TryRead(_board.PointerOf(i), _value, out int lengthBytes);
            if (!CodeWord.IsWhole(_value.AsSpan(0, lengthBytes)) || CodeWord.IndexOf(_value) != i)
                Fault($"object {i} is not whole after a kill");
            _versions[i] = CodeWord.VersionOf(_value);
            _lengths[i] = lengthBytes;
        }
    }

    private void Work()
    {
        try
        {
            Pauses.ReportTo(&_board.Head->Point);
            for (long step = 0; !_board.IsOver; step++)
            {
                Step();
                if (step % 256 == 0)
                    Interlocked.Add(ref _board.Head->Changes, 256);
            }
        }
        catch (Exception e)
        {
            Fault(e.ToString());
        }
    }

    private void Step()
    {
        int index = HotObjects.Choose(_dice, Board.Objects);
        index += (_thread - index % _threads + _threads) % _threads;
        if (index >= Board.Objects)
            return;
        PilePointer pointer = _board.PointerOf(index);
        switch (_dice.Next(1_000))
        {
            case < 550:
                _pile.Replace(pointer, NextValue(index, _lengths[index]));
                break;
            case < 650 when _lengths[index] <= LargestWriteBytes:
                _pile.Write(pointer, NextValue(index, _lengths[index]));
                break;
            case < 800:
                _pile.Replace(pointer, NextValue(index, ChooseLength()));
                break;
            case < 950:
                _board.SetPointer(index, _pile.Put(NextValue(index, ChooseLength()))); // before the old one is dead
                _pile.Delete(pointer);
                break;
            default:
                StepSeldom();
                break;
        }
    }

    private void StepSeldom()
    {
        if (_table == null)
            return;
        string key = _dice.Next(Keys).ToString(CultureInfo.InvariantCulture);
        switch (_dice.Next(20_000))
        {
            case < 16_000:
                var value = new byte[EntryValueBytes];
                CodeWord.Fill(value, 1, _dice.Next(1 << 20));
                _table.Put(key, value);
                break;
            case < 19_960:
                _ = _table.Remove(key);
                break;
            case < 19_970:
                FillAndEmptySegments();
                break;
            case < 19_975:
                _pile.Compact();
                break;
            case < 19_990:
                _pile.Trim();
                break;
            default:
                _pile.Flush();
                break;
        }
    }

    // Segments come and go, also under the number of an older one.
    private void FillAndEmptySegments()
    {
        var pointers = new PilePointer[60];
        for (int i = 0; i < pointers.Length; i++)
            pointers[i] = _pile.Put(_value.AsSpan(0, LargestBytes));
        foreach (PilePointer pointer in pointers)
            _pile.Delete(pointer);
        _pile.Trim();
    }

    private int ChooseLength() => _dice.OneIn(400) ? (_dice.Next(LargestBytes / 8) + 1) * 8 : Lengths[_dice.Next(Lengths.Length)];

    private ReadOnlySpan<byte> NextValue(int index, int lengthBytes)
    {
        _versions[index] = CodeWord.Next(_versions[index]);
        _lengths[index] = lengthBytes;
        Span<byte> value = _value.AsSpan(0, lengthBytes);
        CodeWord.Fill(value, index, _versions[index]);
        return value;
    }

    private void Fault(string what)
    {
        Interlocked.Increment(ref _board.Head->WriterFaults);
        Console.WriteLine($"  WRONG at the writer: {what}");
    }
}
