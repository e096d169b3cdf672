using System;
using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Codec.Members;
using BigPile.Codec.Resolution;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Evolution;

/// <summary>Matches stored members with fields of the present type: by name, then by former name.</summary>
internal sealed class MemberMap
{
    private readonly Dictionary<string, StoredField> _byName = new(StringComparer.Ordinal);
    private readonly Dictionary<string, Queue<StoredField>> _ambiguous = new(StringComparer.Ordinal);

    public MemberMap(Type type, StoredMember[] stored, PileCodecOptions options)
    {
        List<StoredField> fields = FieldListBuilder.FieldsOf(type, ModelFactory.ContainerBase(type));
        foreach (StoredField field in fields)
            _byName[field.Name] = field;
        Debug.Assert(_byName.Count == fields.Count, "Present fields have different names.");
        var storedNames = new HashSet<string>(StringComparer.Ordinal);
        foreach (StoredMember member in stored)
        {
            if (!storedNames.Add(member.Name))
                _ambiguous[member.Name] = new Queue<StoredField>(
                    fields.FindAll(field => field.Member is not null && FieldListBuilder.QualifiedName(field) == member.Name));
        }
        foreach (StoredField field in fields)
        {
            if (field.Member is not null && !storedNames.Contains(field.Name))
                HasNew |= !AddFormer(field, FormerMembers.Of(field, type, options), storedNames);
        }
    }

    /// <summary>Whether the type has members that were not stored.</summary>
    public bool HasNew { get; }

    public bool Has(StoredMember member) => _byName.ContainsKey(member.Name);

    /// <summary>The field of the next stored member, or null if it no longer exists.</summary>
    public StoredField? Take(StoredMember member)
    {
        // Former versions gave one name to hidden fields of classes with the same simple name. They are stored in the order of the
        // classes, the base's first, so one name takes its fields in that order.
        if (_ambiguous.TryGetValue(member.Name, out Queue<StoredField>? candidates) && candidates.TryDequeue(out StoredField hidden))
            return hidden;
        return _byName.TryGetValue(member.Name, out StoredField field) ? field : null;
    }

    private bool AddFormer(StoredField field, IEnumerable<string> names, HashSet<string> storedNames)
    {
        foreach (string name in names)
        {
            if (storedNames.Contains(name) && _byName.TryAdd(name, field))
                return true;
        }
        return false;
    }
}
