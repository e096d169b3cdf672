using System;
using System.Diagnostics;
using BigPile.Concurrency;

namespace BigPile.Caching.Index;

/// <summary>Gives out lines for buckets that are full, and takes them back. Line 0 is never given out.</summary>
internal sealed unsafe class OverflowLines : IDisposable
{
    private readonly LineStore _lines = new(hugePages: false);
    private SpinGate _lock;
    private uint _firstFree;

    /// <summary>The lines that were ever given out, and line 0.</summary>
    internal uint End { get; private set; } = 1;

    /// <summary>The lines that buckets use.</summary>
    internal uint Used { get; private set; }

    internal LineStore Store => _lines;

    internal Bucket* At(uint number) => _lines.At(number);

    /// <summary>Takes an empty line.</summary>
    /// <returns>Its number; 0 when there are none any more.</returns>
    internal uint Take()
    {
        _lock.Enter();
        try
        {
            uint number = _firstFree;
            if (number != 0)
            {
                Debug.Assert(number < End, "What is free was given out before.");
                _firstFree = At(number)->Next;
                At(number)->Next = 0;
            }
            else
            {
                _lines.Ensure(End);
                number = End++;
            }
            Used++;
            return number;
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Takes back an empty line that no bucket leads to any more. Readers may still be in it, and find nothing.</summary>
    internal void Return(uint number)
    {
        Debug.Assert(number != 0 && number < End, "Line 0 is nobody's, and others were given out.");
        Bucket* line = At(number);
        Debug.Assert(Bucket.IsEmptyLocked(line), "A line that goes back has no entries.");
        line->ClearExpiry();
        _lock.Enter();
        try
        {
            line->Next = _firstFree;
            _firstFree = number;
            Debug.Assert(Used > 0, "No line goes back twice.");
            Used--;
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>States what was loaded.</summary>
    internal void Restore(uint end, uint firstFree, uint used)
    {
        End = end;
        _firstFree = firstFree;
        Used = used;
    }

    internal uint FirstFree => _firstFree;

    public void Dispose() => _lines.Dispose();
}
