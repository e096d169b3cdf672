using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Readers;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Typed;

/// <summary>What calls that make values need of the table.</summary>
internal sealed partial class TypedTable<TKey, TValue>
{
    /// <summary>Reads a value for a call that makes what is missing: one that can't be read counts as missing.</summary>
    /// <param name="key">The key.</param>
    /// <param name="isAgain">Whether the call's hit or miss was counted.</param>
    /// <param name="value">The value.</param>
    /// <param name="info">Version, size and times of the entry; on a miss the version of one that can't be read, or 0.</param>
    internal bool TryGetToMake(TKey key, bool isAgain, [MaybeNullWhen(false)] out TValue value, out EntryInfo info) =>
        TryRead(Core.Lookup, key, isAgain, out value, out info, out _);

    /// <summary>As the other one, for the first read of a call; and the time, if it had to be read.</summary>
    internal bool TryGetToMake(TKey key, [MaybeNullWhen(false)] out TValue value, out EntryInfo info, out long now) =>
        TryRead(Core.Lookup, key, isAgain: false, out value, out info, out now);

    /// <summary>Reads a value that has not expired, or one that is kept since. No hit or miss is counted.</summary>
    /// <returns><see langword="false"/> also where it can't be read.</returns>
    internal bool TryGetStale(TKey key, [MaybeNullWhen(false)] out TValue value, out EntryInfo info) =>
        TryRead(new Lookup(Core, readsStale: true), key, isAgain: true, out value, out info, out _);

    /// <summary>Whether there is a value that <see cref="TryGetStale"/> would find.</summary>
    internal bool HasStale(TKey key)
    {
        var reader = default(SizeReader);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return new Lookup(Core, readsStale: true).TryReadAgain(Keys.Probe(key, stack), ref reader, out _);
    }

    /// <summary>The hash of a key, as the table has it.</summary>
    internal ulong HashOf(TKey key)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Keys.Probe(key, stack).Hash;
    }

    /// <summary>The time since a version was put, not below zero.</summary>
    internal TimeSpan AgeOf(ulong version) => new(Math.Max(0, Core.Clock.Now - Core.Clock.PutAt(version)));

    /// <summary>The key by which flights are told apart: its bytes, where the table compares bytes.</summary>
    internal FlightKey FlightKeyOf(TKey key)
    {
        if (KeyCodec<TKey>.HasOwnBytes || Core.KeyComparer != null)
            return new FlightKey(key, null);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return new FlightKey(key, Keys.Probe(key, stack).Bytes.ToArray());
    }

    /// <summary>Begins a run for a missing key; <see langword="null"/> when the key is present.</summary>
    /// <param name="key">The key.</param>
    /// <param name="options">Has the tags of the entry to be put.</param>
    /// <param name="replaced">The version of an entry that counts as missing: it is to be replaced; 0: none.</param>
    internal FlightTicket? BeginFlight(TKey key, EntryOptions? options, ulong replaced)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Core.FlightStart.BeginFlight(Keys.Probe(key, stack), EntrySpecs.TagHashesOf(options), replaced);
    }

    /// <summary>Puts the value of a run, unless something newer happened to the key, or there is no space.</summary>
    internal void PutMade(TKey key, TValue value, EntryOptions? options, FlightTicket ticket)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        try
        {
            _ = Put(Keys.Probe(key, stack), value, options, Condition.Of(ticket), out _);
        }
        catch (PileFullException)
        {
            // The value is there, and its callers get it. The pile counts what it refuses, and logs it.
        }
    }

    /// <summary>Puts the present or stale entry of a run's key again, with a new lifetime, unless something newer happened to it.</summary>
    /// <returns><see langword="false"/> where it was removed since the run began, which those who joined the run did not see.</returns>
    internal bool TryRenewMade(TKey key, EntryOptions? options, FlightTicket ticket)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        KeyProbe probe = Keys.Probe(key, stack);
        var copy = new CopyReader(BufferRental.Rent());
        try
        {
            // Of the two one may be newer: then the ticket is outdated.
            if (!new Lookup(Core, readsStale: true).TryReadAgain(probe, ref copy, out _)
                || !Core.Peek.TryPeek(probe, out EntryCopy entry, readsStale: true))
                return false;
            Span<ulong> tagBuffer = stackalloc ulong[EntryHead.MaxTags];
            EntrySpec spec = Core.Specs.SpecOfMade(entry, options, copy.Kind == ValueKind.Null, tagBuffer);
            _ = entry.Kind == ValueKind.Pointer
                ? PutOwnedAgain(probe, entry.Info.Version, spec, Condition.Of(ticket), out _)
                : Core.Put.Run(probe, copy.Value, copy.Kind, spec, Condition.Of(ticket), out _);
            return true;
        }
        catch (PileFullException)
        {
            return true; // as in PutMade
        }
        finally
        {
            copy.Dispose();
        }
    }

    private bool TryRead(
        in Lookup lookup, TKey key, bool isAgain, [MaybeNullWhen(false)] out TValue value, out EntryInfo info, out long now)
    {
        now = 0;
        var reader = default(ValueReader);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        KeyProbe probe = Keys.Probe(key, stack);
        bool isFound = isAgain
            ? lookup.TryReadAgain(probe, ref reader, out info)
            : lookup.TryRead(probe, ref reader, minVersion: 0, out info, out now);
        if (isFound)
            return TryComplete(ref reader, probe, out value);
        reader.Release();
        value = default;
        return false;
    }

    [SuppressMessage("Design", "CA1031", Justification = "Codecs are application code, and may throw anything.")]
    private bool TryComplete(ref ValueReader reader, in KeyProbe key, [MaybeNullWhen(false)] out TValue value)
    {
        object? read;
        try
        {
            read = reader.Complete(Core.Heap.Codecs.Objects);
        }
        catch (Exception e) when (e is not OutOfMemoryException) // of which the entry is not to blame
        {
            Core.Factories.ReportUnreadable(typeof(TValue), e);
            value = default;
            return false;
        }
        value = ValueOf(read, key);
        return true;
    }
}
