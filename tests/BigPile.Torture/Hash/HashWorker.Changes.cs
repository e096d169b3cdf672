using System;
using BigPile.Hash;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Hash;

/// <summary>The operations that change something: stated in the journal before and after.</summary>
internal sealed unsafe partial class HashWorker
{
    private void Add(int id, ObjectRecord* record)
    {
        if (HashValue.IsCounter(id))
        {
            Count(id, record);
            return;
        }
        ObjectVersion then = NewVersion(id, record, LengthOf(id));
        Write(id, record, then, Journals.Change.Put);
    }

    private void Replace(int id, ObjectRecord* record, int lengthBytes)
    {
        if (_dice.OneIn(8) && _database.Set(HashValue.KeyOf(id), "never"u8, overwrite: false))
            _findings.Wrong("while it is running, a record was set that was there", HashTarget.Where(id, record->Now));
        Write(id, record, NewVersion(id, record, lengthBytes), Journals.Change.Replace);
    }

    private void Write(int id, ObjectRecord* record, in ObjectVersion then, Change change)
    {
        byte[] key = HashValue.KeyOf(id), value = HashValue.Build(id, then);
        byte[]? old = record->Now.IsLive ? HashValue.Build(id, record->Now) : null;
        _journal.Begin(record, change, then);
        bool isDone = _dice.Next(6) switch
        {
            0 => _database.CompareExchange(key, old, value),
            1 => Process(key, old, RecordChange.Set(value)),
            2 when old == null => _database.Append(key, value, "?"u8) == value.Length,
            3 when old == null => _database.Set(key, value, overwrite: false),
            _ => _database.Set(key, value),
        };
        Complete(id, record, isDone);
    }

    private void Append(int id, ObjectRecord* record)
    {
        ObjectVersion then = record->Now;
        byte[] chunk = HashValue.ChunkOf(then.Revision, then.Next);
        then.Next++;
        _journal.Begin(record, Journals.Change.Replace, then);
        long length = _database.Append(HashValue.KeyOf(id), chunk.AsSpan(1), chunk.AsSpan(0, 1));
        Complete(id, record, length == then.LengthBytes + (long)then.Next * HashValue.ChunkBytes);
    }

    private void Count(int id, ObjectRecord* record)
    {
        ObjectVersion then = record->Now;
        if (!then.IsLive)
            then = NewVersion(id, record, sizeof(long)) with { Next = 0 };
        if (HashValue.IsShared(id))
            then.Revision = 1;
        ObjectVersion initial = then with { Next = 0 };
        then.Next++;
        _journal.Begin(record, Journals.Change.Replace, then);
        long count = _database.Increment(HashValue.KeyOf(id), 1, HashValue.CountOf(initial));
        Complete(id, record, HashValue.IsShared(id) || count == HashValue.CountOf(then));
    }

    private void Remove(int id, ObjectRecord* record)
    {
        byte[] key = HashValue.KeyOf(id), old = HashValue.Build(id, record->Now);
        _journal.Begin(record, Journals.Change.Delete, _target.Dead(id));
        bool isDone = _dice.Next(4) switch
        {
            0 => _database.CompareExchange(key, old, null),
            1 => Process(key, old, RecordChange.Remove),
            _ => _database.Remove(key),
        };
        Complete(id, record, isDone);
        if (_database.Contains(key))
            _findings.Wrong("while it is running, a removed record is there", HashTarget.Where(id, record->Now));
    }

    private bool Process(byte[] key, byte[]? old, RecordChange change)
    {
        bool isRight = false;
        _database.Process(key, (exists, value, _) =>
        {
            isRight = exists == (old != null) && value.SequenceEqual(old);
            return change;
        });
        return isRight;
    }

    private void Complete(int id, ObjectRecord* record, bool isDone)
    {
        if (!isDone)
            _findings.Wrong("while it is running, a change found something else", HashTarget.Where(id, record->Now));
        _journal.Complete(record);
    }

    private ObjectVersion NewVersion(int id, ObjectRecord* record, int lengthBytes) => new()
    {
        Revision = HashValue.IsShared(id) ? 1 : ++_record->LastRevision,
        LengthBytes = lengthBytes,
        Pointer = record->Now.Pointer,
    };
}
