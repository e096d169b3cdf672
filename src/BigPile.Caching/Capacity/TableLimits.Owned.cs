namespace BigPile.Caching.Capacity;

/// <summary>Counts the objects that go with entries.</summary>
internal sealed unsafe partial class TableLimits
{
    private ulong _uncountedUpTo; // the version of the last entry of which nobody knows what it owns; set at the opening

    /// <summary>What entries up to a version own is not counted: the index was restored, which knows their addresses only.</summary>
    internal void SkipOwned(ulong upToVersion) => _uncountedUpTo = upToVersion;

    /// <summary>Counts the object that an entry owns, if it may be evicted with it, for tables that give way.</summary>
    /// <param name="priority">The entry's priority.</param>
    /// <param name="version">Its version.</param>
    /// <param name="bytes">The bytes of the object; negative where the entry has gone.</param>
    internal void AddOwned(EntryPriority priority, ulong version, long bytes)
    {
        if (bytes != 0 && priority != EntryPriority.NeverEvict && version > _uncountedUpTo)
            _budget.AddOwned(bytes);
    }
}
