using System;

namespace BigPile.Perf.Policies;

/// <summary>Keys in lists, from the newest to the oldest; a key is in one list at most.</summary>
/// <remarks>The links are arrays indexed by key. Each list is a ring closed by one extra node after the keys.</remarks>
internal sealed class KeyLists
{
    /// <summary>The list of a key that is in none.</summary>
    internal const int None = -1;

    private readonly int _keys;
    private readonly int[] _newer;
    private readonly int[] _older;
    private readonly sbyte[] _listOf;
    private readonly int[] _counts;

    internal KeyLists(int keys, int lists)
    {
        _keys = keys;
        _newer = new int[keys + lists];
        _older = new int[keys + lists];
        _listOf = new sbyte[keys];
        _counts = new int[lists];
        Array.Fill(_listOf, (sbyte)None);
        for (int end = keys; end < keys + lists; end++)
            _newer[end] = _older[end] = end;
    }

    internal int ListOf(int key) => _listOf[key];

    internal int Count(int list) => _counts[list];

    /// <summary>The key that has been in a list for longest; the list is not empty.</summary>
    internal int Oldest(int list) => _newer[_keys + list];

    /// <summary>Adds a key that is in no list.</summary>
    internal void AddNewest(int list, int key)
    {
        int end = _keys + list;
        int before = _older[end];
        _older[key] = before;
        _newer[before] = key;
        _newer[key] = end;
        _older[end] = key;
        _listOf[key] = (sbyte)list;
        _counts[list]++;
    }

    /// <summary>Takes a key out of its list.</summary>
    internal void Remove(int key)
    {
        int newer = _newer[key];
        int older = _older[key];
        _older[newer] = older;
        _newer[older] = newer;
        _counts[_listOf[key]]--;
        _listOf[key] = None;
    }

    /// <summary>Moves a key from its list to the newest end of a list.</summary>
    internal void MoveToNewest(int list, int key)
    {
        Remove(key);
        AddNewest(list, key);
    }

    /// <summary>Checks the invariants of the lists.</summary>
    internal void CheckInvariants()
    {
        for (int list = 0; list < _counts.Length; list++)
        {
            int found = 0;
            for (int key = Oldest(list); key < _keys; key = _newer[key])
            {
                Require.That(_listOf[key] == list, $"Key {key} is in list {list} and said to be in {_listOf[key]}.");
                Require.That(_newer[_older[key]] == key, $"The links of key {key} lead to different places.");
                Require.That(++found <= _counts[list], $"List {list} has more than its {_counts[list]} keys.");
            }
            Require.That(found == _counts[list], $"List {list} has {found} keys, and counts {_counts[list]}.");
        }
    }
}
