-- The photo library, backed up by night
insert into albums values (1, 'Lake in spring'), (2, 'Grandma at 90');
insert into photos values (1, 1, 'heron.jpg'), (2, 2, 'cake.jpg');
