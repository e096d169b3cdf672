using System;
using System.Diagnostics;
using System.Reflection;
using BigPile.Codec.Collections;
using BigPile.Codec.Fields;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Models;
using BigPile.Codec.Resolution;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Evolution;

/// <summary>Schema evolution: makes the readers of a stored schema that differs from the application's present types.</summary>
/// <remarks>
/// Members are matched by name. A member that no longer exists is read and discarded, because its objects are numbered, and members that
/// still exist may refer to them. Thread safety: none; it is used up before the readers are shared.
/// </remarks>
internal sealed class EvolvedModels
{
    /// <summary>The deepest nesting of structures and of collections' base classes. A damaged definition may be cyclic.</summary>
    private const int NestingMost = 100;

    private readonly StoredSchema _schema;
    private readonly ModelFactory _factory;
    private readonly ModelCache _models;
    private readonly TypeModel?[] _entries;
    private readonly FieldList?[] _structures;
    private readonly Type?[] _types;
    private int _nesting;

    public EvolvedModels(StoredSchema schema, ModelFactory factory)
    {
        _schema = schema;
        _factory = factory;
        _models = factory.Models;
        _entries = new TypeModel?[schema.Entries.Length];
        _structures = new FieldList?[schema.Entries.Length];
        _types = new Type?[schema.Entries.Length];
        for (int i = 0; i < _types.Length; i++)
            _types[i] = _models.Types.TryResolve(schema.Entries[i].Name);
    }

    public ModelCache Models => _models;

    /// <summary>The reader of an entry; a skipper if the entry's type no longer exists.</summary>
    public TypeModel Entry(int index) => _entries[index] ??= Nested(() => MakeEntry(index));

    /// <summary>The type of an entry, or null if the application no longer has it.</summary>
    public Type? TypeOf(int index) => _types[index];

    /// <summary>The type of an entry, for a member with a declared type: that type itself is found even if the registry can't.</summary>
    public Type? TypeOf(int index, Type declared) =>
        _types[index] ??= _models.Types.NameOf(declared) == NameOf(index) ? declared : null;

    public string NameOf(int index) => _schema.Entries[index].Name;

    public SchemaForm FormOf(int index) => _schema.Entries[index].Form;

    /// <summary>The fields of a structure as they were stored.</summary>
    public FieldList Structure(int index)
    {
        Debug.Assert(_types[index] is not null, "A structure that no longer exists is skipped.");
        return _structures[index] ??= Nested(() => MakeFields(index, _types[index]!));
    }

    public FieldCodec StructureCodec(int index) => FormOf(index) == SchemaForm.NamedStructure
        ? new NamedStructCodec(Nested(() => new NamedFields(_types[index]!, MakePlans(index, _types[index]!))))
        : new StructCodec(Structure(index));

    public UnionCodec Union(int index)
    {
        Debug.Assert(_types[index] is not null, "A union that no longer exists is skipped.");
        Type declared = _types[index]!;
        return new UnionCodec(declared, Array.ConvertAll(_schema.Entries[index].Members, member => UnionMember(declared, member)), _models);
    }

    private (int Key, Type Type, FieldCodec Codec) UnionMember(Type declared, StoredMember member)
    {
        if (member.Kind.Leaf is not null || !int.TryParse(member.Name, out int key))
            throw new PileSchemaException("A schema in the catalog is damaged.");
        int entry = member.Kind.Entry;
        return (key, _types[entry] ?? typeof(SkippedObject), new ReferenceCodec(declared, _models, () => Entry(entry)));
    }

    /// <summary>Makes the readers of all entries, so that members that can't be matched are reported at once.</summary>
    public void MakeAll()
    {
        for (int i = 0; i < _entries.Length; i++)
            Entry(i);
        Debug.Assert(_nesting == 0, "Each entry that was begun has been made.");
    }

    private T Nested<T>(Func<T> make)
    {
        if (++_nesting > NestingMost)
            DefinitionReader.Damaged();
        T made = make();
        _nesting--;
        return made;
    }

    private TypeModel MakeEntry(int index)
    {
        StoredEntry entry = _schema.Entries[index];
        if (_types[index] is not { } type)
            return new SkipModel(entry.Form, SkipCodecs(entry), _models);
        return entry.Form switch
        {
            SchemaForm.Fields when type == typeof(Exception) => _models.ForType(type),
            SchemaForm.Fields => MakeObject(index, type),
            SchemaForm.Structure => new FieldsModel(type, Structure(index), _models),
            SchemaForm.NamedFields or SchemaForm.NamedStructure => new NamedFieldsModel(
                type, new NamedFields(type, MakePlans(index, type)), _models, InitializerOf(index, type)),
            SchemaForm.Union => new SkipModel(SchemaForm.Value, [EvolvedCodecs.DiscardAny(this)], _models),
            SchemaForm.Items or SchemaForm.Pairs when !IsWrapper(entry) =>
                _factory.MakeContainer(
                    type, ElementCodecs(entry, type), entry.Members is [{ Name: Enumerated.ItemName }]) ?? _models.ForType(type),
            _ => _models.ForType(type),
        };
    }

    // A wrapper's only content is one reference with a type id.
    private static bool IsWrapper(StoredEntry entry) => entry.Members is [{ Name: WrapperModel.InnerName }];

    private TypeModel MakeObject(int index, Type type)
    {
        FieldList fields = MakeFields(index, type);
        StoredEntry entry = _schema.Entries[index];
        if (!HasBase(entry))
            return new FieldsModel(type, fields, _models, InitializerOf(index, type));
        if (Entry(entry.Members[0].Kind.Entry) is not ContainerModel part || !part.Type.IsAssignableFrom(type))
            throw new PileSchemaException(
                $"Type {type} no longer derives from the collection that it was stored with: {NameOf(entry.Members[0].Kind.Entry)}.");
        return new DerivedCollectionModel(type, part, fields, _models, InitializerOf(index, type));
    }

    private static bool HasBase(StoredEntry entry) => entry.Members is [{ Name: DerivedCollectionModel.BaseName, Kind.Leaf: null }, ..];

    private FieldList MakeFields(int index, Type type) => new(type, MakePlans(index, type), _models.CodeGeneration);

    private FieldPlan[] MakePlans(int index, Type type)
    {
        if (!_factory.IsMadeOfFields(type))
            throw new PileSchemaException($"Type {type} was stored by its fields, which is no longer possible.");
        StoredEntry entry = _schema.Entries[index];
        StoredMember[] members = HasBase(entry) ? entry.Members[1..] : entry.Members;
        var map = new MemberMap(type, members, _models.Options);
        if (LossyTypes.IsAnonymous(type) && !Array.TrueForAll(members, map.Has))
            throw new PileSchemaException(
                $"The stored anonymous type {entry.Name} differs from the one that the application now has under this name.");
        return Array.ConvertAll(members, member => map.Take(member) is { Member: not null } field
            ? FieldPlan.Of(field, EvolvedCodecs.Make(this, member.Kind, field.ValueType, type, member.Name), type)
            : new FieldPlan(member.Name, 0, EvolvedCodecs.MakeDiscard(this, member.Kind)));
    }

    // Runs the parameterless constructor on an object that exists already, so that new members get their initializers' values.
    private Action<object>? InitializerOf(int index, Type type)
    {
        StoredEntry entry = _schema.Entries[index];
        StoredMember[] members = HasBase(entry) ? entry.Members[1..] : entry.Members;
        if (!_models.Options.InitializeNewMembers || type.IsValueType || !new MemberMap(type, members, _models.Options).HasNew)
            return null;
        ConstructorInfo? constructor = type.GetConstructor(FieldListBuilder.Declared, []);
        return constructor is null ? null : value => constructor.Invoke(value, BindingFlags.DoNotWrapExceptions, null, [], null);
    }

    private FieldCodec[] ElementCodecs(StoredEntry entry, Type type)
    {
        Type[] declared = ModelFactory.ElementTypes(type);
        if (declared.Length != entry.Members.Length)
            throw new PileSchemaException($"The stored type {entry.Name} is now another kind of collection.");
        var codecs = new FieldCodec[declared.Length];
        for (int i = 0; i < codecs.Length; i++)
            codecs[i] = EvolvedCodecs.Make(this, entry.Members[i].Kind, declared[i], type, entry.Members[i].Name);
        return codecs;
    }

    private FieldCodec[] SkipCodecs(StoredEntry entry)
    {
        FieldCodec[] codecs = DiscardCodecs(entry);
        if (HasBase(entry))
        {
            StoredEntry part = _schema.Entries[entry.Members[0].Kind.Entry];
            codecs[0] = new SkipCodec(new SkipModel(part.Form, DiscardCodecs(part), _models));
        }
        return codecs;
    }

    private FieldCodec[] DiscardCodecs(StoredEntry entry) =>
        Array.ConvertAll(entry.Members, member => EvolvedCodecs.MakeDiscard(this, member.Kind));
}
